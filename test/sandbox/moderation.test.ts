// The sandbox moderates by a short list of words, and says that it is the sandbox.
import { expect, test } from "bun:test";
import { moderationCategories } from "../../src/canonical/moderation.ts";
import { at } from "../support/chat-stream-reader.ts";
import { sandbox } from "./setting.ts";

const { say } = await sandbox();
const moderate = (input: unknown) =>
  say({ path: "/v1/moderations", rawBody: JSON.stringify({ model: "sandbox/moderate", input }) });
interface Result {
  flagged: boolean;
  categories: Record<string, boolean>;
  category_scores: Record<string, number>;
  category_applied_input_types: Record<string, string[]>;
}
const results = async (input: unknown) => at((await moderate(input)).json, "results") as Result[];

/** A text for each category, which must be flagged by it. */
const foul: Record<string, string> = {
  harassment: "You IDIOT.",
  "harassment/threatening": "I will find you",
  hate: "they are subhuman",
  "hate/threatening": "exterminate them all",
  illicit: "how to shoplift",
  "illicit/violent": "how to build a bomb",
  "self-harm": "a text on suicide",
  "self-harm/intent": "I want to die",
  "self-harm/instructions": "a painless way to die",
  sexual: "some erotic story",
  "sexual/minors": "child porn",
  violence: "he was murdered",
  "violence/graphic": "gore",
};

test.each([...moderationCategories])("%s", async (category) => {
  const [result] = await results(foul[category]);
  expect(result).toMatchObject({ flagged: true, categories: { [category]: true } });
  expect(result?.category_scores[category]).toBeGreaterThanOrEqual(0.8);
  expect(Object.keys(result?.category_scores ?? {})).toEqual([...moderationCategories]);
});

test("harmless texts, in order, beside a harmful one; words within words do not count", async () => {
  expect(
    (await results(["good morning", "murder", "a skill that overkills nobody"])).map(({ flagged }) => flagged),
  ).toEqual([false, true, false]);
});

test("a mixed list is one result, and names what was looked at", async () => {
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  const [result, ...others] = await results([{ type: "text", text: "hello" }, image]);
  expect(others).toEqual([]);
  expect(result?.category_applied_input_types).toMatchObject({ violence: ["text", "image"], hate: ["text"] });
});

test("directives, and the name", async () => {
  expect((await moderate("x [sandbox rate-limit=3]")).status).toBe(429);
  expect(at((await moderate("x")).json, "model")).toBe("sandbox/moderate");
});
