// The outline of a chat request says what the request says, and leaves to a parse whatever is not plain.
import { expect, test } from "bun:test";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import { outlineOf } from "../../../src/dialects/request-outline.ts";
import { approximateInput, scanInput } from "../../../src/dialects/tokens/figures.ts";
import type { JsonObject } from "../../../src/lib/json.ts";

const envelope = { header: () => null, params: {} };
const hello = { model: "m", messages: [{ role: "user", content: "hello" }] };
const outline = (wire: JsonObject) => openaiChat.request.outline?.({ ...hello, ...wire }, envelope);

const call = { id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } };
const tools = [{ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }];

test.each<[string, JsonObject]>([
  ["a text", {}],
  ["a stream", { stream: true, stream_options: { include_usage: true } }],
  ["empty fields", { tools: [], response_format: null, functions: [], tool_choice: null }],
  ["several choices and an effort", { n: 3, reasoning_effort: "low" }],
  [
    "an agent's loop",
    {
      tools,
      tool_choice: "auto",
      messages: [
        { role: "system", content: "be brief" },
        {
          role: "user",
          content: [
            { type: "text", text: "hi" },
            { type: "text", text: "there" },
          ],
        },
        { role: "assistant", content: null, reasoning_content: "hm", tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: "done" },
        { role: "assistant", content: "well" },
      ],
    },
  ],
])("of %s", (_case, wire) => {
  const read = outline(wire);
  const built = outlineOf(openaiChat.request.parse({ ...hello, ...wire }, envelope));
  const { parts, ...head } = built;
  expect(read).toMatchObject({ ...head, mayHoldMedia: false });
  const [texts, tokens] = [read?.parts.texts.map(({ text }) => text), read && approximateInput(scanInput(read.parts))];
  expect(texts?.toSorted()).toEqual(parts.texts.map(({ text }) => text).toSorted());
  expect(Math.abs((tokens ?? 0) - approximateInput(scanInput(parts)))).toBeLessThanOrEqual(8);
});

const withMessage = (message: JsonObject): JsonObject => ({ messages: [message] });

test.each<[string, JsonObject]>([
  ["an image", withMessage({ role: "user", content: [{ type: "image_url", image_url: { url: "https://a/b.png" } }] })],
  ["an image in a tool's result", withMessage({ role: "tool", tool_call_id: "c", content: [{ type: "image_url" }] })],
  ["a result without its call", withMessage({ role: "tool", content: "done" })],
  ["a message without content", withMessage({ role: "user" })],
  ["an assistant that says nothing", withMessage({ role: "assistant" })],
  [
    "a call without a name",
    withMessage({ role: "assistant", tool_calls: [{ id: "c", type: "function", function: {} }] }),
  ],
  ["a call of another type", withMessage({ role: "assistant", tool_calls: [{ ...call, type: "custom" }] })],
  ["a part without a text", withMessage({ role: "user", content: [{ type: "text" }] })],
  ["speech that the provider stores", withMessage({ role: "assistant", content: "a", audio: { id: "x" } })],
  ["a function's result", withMessage({ role: "function", name: "f", content: "done" })],
  ["legacy functions", { functions: [{ name: "f" }] }],
  ["a tool of another type", { tools: [{ type: "web_search" }] }],
  ["a function tool that is none", { tools: [{ type: "function" }] }],
  ["a named tool choice", { tool_choice: { type: "function", function: { name: "f" } } }],
  ["an unknown tool choice", { tool_choice: "always" }],
  ["a schema", { response_format: { type: "json_schema" } }],
  ["log probabilities", { top_logprobs: 2 }],
])("%s is left to a parse", (_case, wire) => {
  expect(outline(wire)).toBeNull();
});
