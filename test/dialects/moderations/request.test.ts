// What a client wants moderated: every form and bound on each side.
import { expect, test } from "bun:test";
import { openaiModerations } from "../../../src/dialects/index.ts";
import { validate } from "../../../src/http/validate.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { envelopeOf } from "../../support/laws.ts";
import { thrown } from "../../support/sample-requests.ts";

const read = (wire: JsonObject) => {
  const sent = JSON.parse(JSON.stringify(wire)) as JsonObject;
  validate(openaiModerations.request.schema, sent);
  return openaiModerations.request.parse(sent, envelopeOf());
};
const text = (content: string) => ({ type: "text", text: content });
const image = (url: string) => ({ type: "image_url", image_url: { url } });
const png = "data:image/png;base64,iVBORw0KGgo=";

/** What is taken, and what becomes of it. */
const taken: [string, JsonObject, object][] = [
  ["a text", { input: "a", model: "m" }, { model: "m", mixed: false, items: [[text("a")]] }],
  ["no model: its users' own", { input: "a" }, { model: "omni-moderation-latest", unnamed: true }],
  ["a model that is null", { input: "a", model: null }, { model: "omni-moderation-latest", unnamed: true }],
  ["a text of one character", { input: " " }, { items: [[text(" ")]] }],
  ["a long text", { input: "x".repeat(1_000_000) }, { mixed: false }],
  ["Unicode of every plane", { input: "猫 🐈‍⬛ \uD800" }, { items: [[text("猫 🐈‍⬛ \uD800")]] }],
  ["texts", { input: ["a", "b"] }, { mixed: false, items: [[text("a")], [text("b")]] }],
  ["one text in a list", { input: ["a"] }, { mixed: false, items: [[text("a")]] }],
  [
    "parts: one item",
    { input: [text("a"), image(png), image("https://example.com/a.png")] },
    {
      mixed: true,
      items: [
        [
          text("a"),
          { type: "image", url: png, path: "input[1].image_url.url" },
          { type: "image", url: "https://example.com/a.png", path: "input[2].image_url.url" },
        ],
      ],
    },
  ],
  ["a part that says more", { input: [{ ...text("a"), tomorrow: 1 }] }, { items: [[text("a")]] }],
  [
    "unknown fields",
    { input: "a", tomorrow: 1, nothing: null },
    { unmappedFields: [{ path: "tomorrow", rule: "warn" }] },
  ],
];

test.each(taken)("takes %s", (_name, wire, expected) => {
  expect(read(wire)).toMatchObject(expected);
});

const required = "missing_required_parameter";
/** What is refused, with the code and the field. */
const refused: [string, JsonObject, string, string][] = [
  ["no input", {}, required, "input"],
  ["input that is null", { input: null }, "invalid_type", "input"],
  ["input that is a number", { input: 1 }, "invalid_type", "input"],
  ["input that is an object", { input: {} }, "invalid_type", "input"],
  ["an empty text", { input: "" }, "invalid_value", "input"],
  ["no texts", { input: [] }, "invalid_value", "input"],
  ["an empty text among texts", { input: ["a", ""] }, "invalid_value", "input[1]"],
  ["a number among texts", { input: ["a", 1] }, "invalid_type", "input[1]"],
  ["null among texts", { input: [null] }, "invalid_type", "input[0]"],
  ["texts and parts", { input: ["a", text("b")] }, "invalid_value", "input"],
  ["a part without a type", { input: [{ text: "a" }] }, required, "input[0].type"],
  ["a part of another type", { input: [{ type: "audio" }] }, "invalid_value", "input[0].type"],
  ["a part whose text is missing", { input: [{ type: "text" }] }, required, "input[0].text"],
  ["a part whose text is a number", { input: [{ type: "text", text: 1 }] }, "invalid_type", "input[0].text"],
  ["a part whose text is empty", { input: [text("")] }, "invalid_value", "input[0].text"],
  ["an image that is missing", { input: [{ type: "image_url" }] }, required, "input[0].image_url.url"],
  ["an image that is a text", { input: [{ type: "image_url", image_url: png }] }, "invalid_type", "input[0].image_url"],
  ["an image without address", { input: [image("")] }, "invalid_value", "input[0].image_url.url"],
  ["an image in a file", { input: [text("a"), image("file:///etc/hosts")] }, "invalid_value", "input[1].image_url.url"],
  ["an image that is a page", { input: [image("data:text/html,hi")] }, "invalid_value", "input[0].image_url.url"],
  ["a model that is a number", { input: "a", model: 1 }, "invalid_type", "model"],
];

test.each(refused)("refuses %s", (_name, wire, code, param) => {
  expect(thrown(() => read(wire))).toMatchObject({ status: 400, code, param });
});
