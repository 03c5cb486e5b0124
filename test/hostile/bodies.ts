// Generates hostile bodies from a seed: the smallest request of a row, grown in one place beyond what anybody needs.
import type { Endpoint } from "../../src/http/endpoint.ts";
import { pathOf, smallest } from "../http/setting.ts";
import { growths } from "./growths.ts";
import { recordings } from "./recordings.ts";

export interface HostileBody {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Json = Record<string, unknown>;
const pick = <Item>(random: () => number, items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
};

/** Most bodies are small; one in 50 is as large as the gateway lets in. */
function sizeFrom(random: () => number): number {
  return random() < 0.02 ? 8_000_000 + Math.floor(random() * 22_000_000) : Math.floor(10 ** (2 + random() * 4));
}

/** Fields of a row's schema, and one that nobody knows. */
function fieldsOf(row: Endpoint): readonly string[] {
  const schema: { properties?: object } = row.kind === "ask" ? row.dialect.request.schema : (row.body?.schema ?? {});
  return [...Object.keys(schema.properties ?? {}), "unknown_field"];
}

function jsonBody(row: Endpoint, base: Json, random: () => number): HostileBody {
  const field = pick(random, fieldsOf(row));
  const [kind, grow] = pick(random, growths);
  const size = sizeFrom(random);
  const { name, text } = grow(base, field, size, random);
  const model = row.path.includes("{model") ? {} : { model: "sandbox/chat" };
  return {
    name: `${row.path} ${kind} ${name} ${size}`,
    path: pathOf(row),
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: text({ ...base, ...model }),
  };
}

function formBody(row: Endpoint, random: () => number): HostileBody {
  const [kind, make] = pick(random, recordings);
  const size = sizeFrom(random);
  const file = make(size, random);
  const model = 'Content-Disposition: form-data; name="model"\r\n\r\nsandbox/transcribe';
  const disposition = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
  const head = Buffer.from(`--b\r\n${model}\r\n--b\r\n${disposition}\r\n\r\n`);
  return {
    name: `${row.path} form ${kind} ${size}`,
    path: pathOf(row),
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: new Uint8Array(Buffer.concat([head, file, Buffer.from("\r\n--b--\r\n")])),
  };
}

/** One body for one of the rows that take one. */
export function hostileBody(rows: readonly Endpoint[], random: () => number): HostileBody {
  const row = pick(random, rows);
  const { headers, body } = smallest(row);
  if (/^multipart/.test(headers["content-type"] ?? "")) return formBody(row, random);
  return jsonBody(row, JSON.parse(String(body)) as Json, random);
}
