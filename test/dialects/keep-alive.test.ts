// What a frame says of its server, with the comments that vendors document.
import { expect, test } from "bun:test";
import { type Sign, signOf } from "../../src/dialects/shared/keep-alive.ts";
import { wireFrames } from "../support/fixtures.ts";

const signs: [string, Sign][] = [
  [": OPENROUTER PROCESSING", "keep-alive"],
  [": keep-alive", "keep-alive"],
  ['event: ping\ndata: {"type": "ping"}', "keep-alive"],
  ['event: keepalive\ndata: {"type":"keepalive","sequence_number":3}', "keep-alive"],
  [":", "nothing"],
  [": still there", "nothing"],
  ["", "nothing"],
  ["event: ping", "keep-alive"],
  ["event: message_start", "nothing"],
  ["retry: 3000", "nothing"],
  ["data: [DONE]", "event"],
  ["data:{}", "event"],
  ["id: 1\ndata: {}", "event"],
  [": OPENROUTER PROCESSING\ndata: {}", "event"],
  ["event: pinged\ndata: {}", "event"],
];

test.each(signs)("%j is %s", (raw, sign) => {
  expect(signOf(raw)).toBe(sign);
});

test.each(["openai-chat/text.sse", "openai-responses/text.sse"])("all frames of %s are events", (path) => {
  for (const frame of wireFrames(path)) expect(signOf(frame.trimEnd())).toBe("event");
});
