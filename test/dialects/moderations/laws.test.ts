// The laws of the moderation dialect: what is rendered and parsed again is the same.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type {
  ModerationItem,
  ModerationPart,
  ModerationRequest,
  ModerationResponse,
} from "../../../src/canonical/moderation.ts";
import { moderationCategories } from "../../../src/canonical/moderation.ts";
import { openaiModerations } from "../../../src/dialects/index.ts";
import { lawModel, lawReadContext, requestsRoundTrip, writeContextOf } from "../../support/laws.ts";

const someText = fc.string({ unit: "grapheme", minLength: 1 });
const text = someText.map((words): ModerationPart => ({ type: "text", text: words }));
const image = fc.webUrl().map((url): ModerationPart => ({ type: "image", url, path: "" }));

/** Each image knows where it stands. */
const placed = (parts: readonly ModerationPart[]): ModerationItem =>
  parts.map((part, index) => (part.type === "text" ? part : { ...part, path: `input[${index}].image_url.url` }));

const askOf = (items: readonly ModerationItem[], mixed: boolean): ModerationRequest => ({
  operation: "moderate",
  model: lawModel,
  stream: false,
  items,
  mixed,
  unmappedFields: [],
});

const asks = fc.oneof(
  fc.array(text, { minLength: 1 }).map((parts) =>
    askOf(
      parts.map((part) => [part]),
      false,
    ),
  ),
  fc.array(fc.oneof(text, image), { minLength: 1 }).map((parts) => askOf([placed(parts)], true)),
);

test("requests", () => requestsRoundTrip(openaiModerations, asks));

const finding = fc.record({
  flagged: fc.boolean(),
  score: fc.double({ min: 0, max: 1, noNaN: true }).map((score) => score + 0),
  inputs: fc.subarray(["text", "image"] as const),
});
const findings = fc
  .tuple(...moderationCategories.map((category) => fc.tuple(fc.constant<string>(category), finding)))
  .map((pairs) => new Map(pairs));
const answers = fc
  .array(fc.record({ flagged: fc.boolean(), findings }), { minLength: 1, maxLength: 3 })
  .map((verdicts): ModerationResponse => ({ operation: "moderate", id: "modr-1", model: "far", verdicts }));

test("answers", () => {
  fc.assert(
    fc.property(answers, (response) => {
      const wire = openaiModerations.response.render(response, writeContextOf(askOf([], false)));
      const back = openaiModerations.response.parse(JSON.parse(JSON.stringify(wire)), lawReadContext);
      expect(back).toEqual(response);
    }),
  );
});
