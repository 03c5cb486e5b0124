// The parser of responses: valid ones however their bytes are cut, invalid ones, and bytes that belong to no request.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  InvalidResponse,
  type ResponseHead,
  ResponseParser,
} from "../../../src/providers/transport/response-parser.ts";
import { invalidResponses, validResponses } from "./raw-responses.ts";

interface Parsed {
  heads: ResponseHead[];
  body: string;
  ends: number;
  rest: string;
  dataCalls: number;
}

const latin1 = (text: string) => Buffer.from(text, "latin1");

/** What the parser makes of these pieces, and of the end of the connection. */
function parse(pieces: readonly Buffer[], closes = false): Parsed {
  const parsed: Parsed = { heads: [], body: "", ends: 0, rest: "", dataCalls: 0 };
  const parser = new ResponseParser({
    head: (head) => parsed.heads.push(head),
    data: (bytes) => {
      parsed.body += Buffer.from(bytes).toString("latin1");
      parsed.dataCalls++;
    },
    end: () => parsed.ends++,
  });
  for (const piece of pieces) parsed.rest += parser.push(Buffer.from(piece)).toString("latin1");
  if (closes) parser.close();
  return parsed;
}

/** The bytes, cut at these places. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...new Set(places.map((place) => place % bytes.length)), bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

describe.each(validResponses)("$name", ({ bytes, status, body, untilClose, last, headers }) => {
  const whole = latin1(bytes);
  const check = (pieces: readonly Buffer[]): void => {
    const parsed = parse(pieces, untilClose);
    expect(parsed).toMatchObject({ body, ends: 1, rest: "", heads: [{ status }] });
    const [head] = parsed.heads;
    expect(head?.keepsAlive).toBe(last !== true);
    for (const [name, value] of Object.entries(headers ?? {})) expect(head?.headers.get(name)).toBe(value);
  };

  test("at once", () => {
    check([whole]);
    expect(parse([whole], untilClose).dataCalls).toBeLessThanOrEqual(1);
  });
  test("byte by byte", () => check(Array.from(whole, (byte) => Buffer.from([byte]))));
  test("cut anywhere", () => {
    const cuts = fc.array(fc.nat(10_000), { maxLength: 6 });
    fc.assert(
      fc.property(cuts, (places) => check(cutAt(whole, places))),
      { numRuns: 60 },
    );
  });
});

const bounded = validResponses.filter(({ untilClose }) => untilClose === undefined);
describe.each(bounded)("$name, by its own end", ({ bytes, status, body }) => {
  test("what follows is returned", () => {
    expect(parse([latin1(`${bytes}more`)])).toMatchObject({ body, ends: 1, rest: "more" });
  });
  test("twice on one connection", () => {
    const whole = latin1(bytes);
    expect(parse([whole, whole])).toMatchObject({ body: body + body, ends: 2, heads: [{ status }, { status }] });
  });
});

describe.each(invalidResponses)("%s", (_, bytes) => {
  const whole = latin1(bytes);
  test("is refused, at once and byte by byte", () => {
    expect(() => parse([whole])).toThrow(InvalidResponse);
    expect(() => parse(Array.from(whole, (byte) => Buffer.from([byte])))).toThrow(InvalidResponse);
  });
});

test("a body that is cut has no end", () => {
  for (const { bytes } of bounded)
    for (let length = 1; length < bytes.length; length++)
      expect(parse([latin1(bytes.slice(0, length))], true).ends).toBe(0);
});

test("any bytes are a response, or InvalidResponse, or wait for more", () => {
  const word = fc.constantFrom(
    ...["HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 x\r\n", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "\r\n"],
    ...["\n", "\r", "0", "3", "abc", "0\r\n\r\n", ":", " ", "\0", "\xff", "a: b\r\n"],
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), fc.array(fc.nat(500), { maxLength: 4 }), (words, places) => {
      const bytes = latin1(`HTTP/1.1 200 OK\r\n${words.join("")}`);
      const outcome = (pieces: readonly Buffer[]): unknown => {
        try {
          const { body, ends, heads, rest } = parse(pieces);
          return { body, ends, statuses: heads.map(({ status }) => status), rest };
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(InvalidResponse);
          return "invalid";
        }
      };
      const once = outcome([bytes]);
      // What belongs to no request is seen in pieces as a response of its own.
      if (once !== "invalid" && Object(once).rest === "") expect(outcome(cutAt(bytes, places))).toEqual(once);
    }),
    { numRuns: 2_000 },
  );
});
