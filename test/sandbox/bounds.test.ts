// The sandbox takes no more at once than it can answer quickly, a row on each side of each bound.
import { expect, test } from "bun:test";
import { at } from "../support/chat-stream-reader.ts";
import { sandbox } from "./setting.ts";

const { say } = await sandbox();
const many = (count: number, text = "a") => Array.from({ length: count }, () => text);
const long = (tokens: number) => "a b ".repeat(tokens);
const embed = (body: object) => ["/v1/embeddings", { model: "sandbox/embed", ...body }] as const;
const rank = (body: object) => ["/v1/rerank", { model: "sandbox/rerank", query: "a", ...body }] as const;
const moderate = (input: unknown) => ["/v1/moderations", { model: "sandbox/moderate", input }] as const;

test.each([
  [...embed({ input: long(8_192) }), null],
  [...embed({ input: [long(1), long(8_193)] }), "input"],
  [...embed({ input: many(36, long(8_192)) }), null],
  [...embed({ input: many(37, long(8_192)) }), "input"],
  [...embed({ input: many(8_192, "").map(() => 7) }), null],
  [...embed({ input: many(8_193, "").map(() => 7) }), "input"],
  [...embed({ input: many(32), dimensions: 16_384, encoding_format: "base64" }), null],
  [...embed({ input: many(33), dimensions: 16_384, encoding_format: "base64" }), "input"],
  [...rank({ documents: many(1_000) }), null],
  [...rank({ documents: many(1_001) }), "documents"],
  [...rank({ documents: [long(8_193)] }), "documents"],
  [...rank({ documents: ["a"], query: long(8_193) }), "query"],
  [...moderate(many(2_048)), null],
  [...moderate(many(2_049)), "input"],
  [...moderate(long(8_192)), null],
  [...moderate(long(8_193)), "input"],
])("%s, row %#", async (path, body, param) => {
  const received = await say({ path, rawBody: JSON.stringify(body) });
  const error = at(received.json, "error");
  expect({ status: received.status, param: at(error, "param") }).toEqual(
    param === null ? { status: 200, param: undefined } : { status: 400, param },
  );
});
