// What upstreams of moderation say: verdicts in one form, and nonsense that never passes as harmless.
import { describe, expect, test } from "bun:test";
import {
  type ModerationRequest,
  type ModerationResponse,
  moderationCategories,
} from "../../../src/canonical/moderation.ts";
import type { UpstreamDialect } from "../../../src/dialects/dialect.ts";
import {
  mistralModerations,
  moderatorForms,
  moderatorIn,
  openaiChat,
  openaiModerations,
} from "../../../src/dialects/index.ts";
import { wireJson } from "../../support/fixtures.ts";
import { envelopeOf, renderContextOf, writeContextOf } from "../../support/laws.ts";
import { thrown } from "../../support/sample-requests.ts";

const ask = (input: string | string[] = "x"): ModerationRequest =>
  openaiModerations.request.parse({ model: "m", input }, envelopeOf());
type Moderation = UpstreamDialect<ModerationRequest, ModerationResponse>;
const parsed = (dialect: Moderation, wire: unknown, requested = ask()) =>
  dialect.response.parse(wire, { origin: "o", request: requested });
const verdict = (dialect: Moderation, result: unknown) => {
  const { verdicts } = parsed(dialect, { results: [result] });
  return verdicts[0];
};

describe("openai-moderations", () => {
  test("what is told comes back as it was told", () => {
    const wire = wireJson("moderations/openai-two.json");
    const response = parsed(openaiModerations, wire, ask(["a", "b"]));
    expect(openaiModerations.response.render(response, writeContextOf(ask()))).toEqual(wire as never);
  });

  test("a whole reply passes untouched", () => {
    const wire = wireJson("moderations/openai-one.json") as never;
    expect(openaiModerations.passthrough.normalize?.(wire, {}, writeContextOf(ask()))).toBe(wire);
  });

  test("an id is made where there is none, and what else is told stays", () => {
    const { id: _, ...rest } = wireJson("moderations/openai-one.json");
    const mended = openaiModerations.passthrough.normalize?.(
      { ...rest, tomorrow: 1 } as never,
      {},
      writeContextOf(ask()),
    );
    expect(mended).toMatchObject({ ...rest, id: "modr-law-1", tomorrow: 1 });
  });

  test("a category of tomorrow that is flagged flags all, where no verdict is told", () => {
    expect(verdict(openaiModerations, { categories: { malware: true } })?.flagged).toBe(true);
    expect(verdict(openaiModerations, { categories: { malware: false } })?.flagged).toBe(false);
  });

  test("a category that was not moderated is null, and names no input", () => {
    const found = verdict(openaiModerations, { flagged: false, categories: { hate: false, illicit: null } });
    expect(found?.findings.get("illicit")).toEqual({ flagged: false, score: 0, inputs: [] });
    expect(found?.findings.get("hate")).toEqual({ flagged: false, score: 0, inputs: ["text"] });
    expect([...(found?.findings.keys() ?? [])]).toEqual([...moderationCategories]);
  });

  test.each([
    ["no list", {}],
    ["an empty list", { results: [] }],
    ["more results than inputs", { results: [{ categories: { a: true } }, { categories: { a: true } }] }],
    ["a result that is none", { results: [null] }],
    ["no categories", { results: [{ flagged: false }] }],
    ["empty categories", { results: [{ flagged: false, categories: {} }] }],
    ["categories that say nothing", { results: [{ flagged: false, categories: { hate: "no" } }] }],
  ])("%s makes no sense", (_name, wire) => {
    expect(thrown(() => parsed(openaiModerations, wire))).toMatchObject({ code: "upstream_protocol_error" });
  });
});

describe("mistral-moderations", () => {
  test.each([
    ["sexual", "sexual", true],
    ["hate_and_discrimination", "hate", true],
    ["violence_and_threats", "violence", true],
    ["dangerous_and_criminal_content", "illicit", true],
    ["selfharm", "self-harm", true],
    ["health", "health", false],
    ["financial", "financial", false],
    ["law", "law", false],
    ["pii", "pii", false],
  ])("%s is %s; it flags: %p", (theirs, ours, flags) => {
    const found = verdict(mistralModerations, { categories: { [theirs]: true }, category_scores: { [theirs]: 0.7 } });
    expect(found?.flagged).toBe(flags);
    expect(found?.findings.get(ours)).toEqual({ flagged: true, score: 0.7, inputs: ["text"] });
  });

  test("of two categories that are one of ours the worse one counts", () => {
    const result = {
      categories: { dangerous: true, criminal: false },
      category_scores: { dangerous: 0.6, criminal: 0.1 },
    };
    const found = verdict(mistralModerations, result);
    expect(found?.findings.get("illicit")).toMatchObject({ flagged: true, score: 0.6 });
  });

  test.each([
    ["no categories", { category_scores: { sexual: 0 } }],
    ["empty categories", { categories: {} }],
    ["words for truth", { categories: { sexual: "no" } }],
  ])("%s make no sense", (_name, result) => {
    expect(thrown(() => verdict(mistralModerations, result))).toMatchObject({ code: "upstream_protocol_error" });
  });
});

describe("llama-guard", () => {
  const guard = moderatorIn(openaiChat, moderatorForms["llama-guard"]);
  const say = (content: string, logprobs?: object[]) =>
    parsed(guard, {
      id: "c",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content },
          finish_reason: "stop",
          ...(logprobs ? { logprobs: { content: logprobs } } : {}),
        },
      ],
    }).verdicts[0];
  const flagged = (content: string) =>
    [...(say(content)?.findings ?? [])].flatMap(([category, finding]) => (finding.flagged ? [category] : [])).sort();

  test.each([
    ["S1", ["illicit/violent", "violence"]],
    ["S2", ["illicit"]],
    ["S3", ["illicit", "sexual"]],
    ["S4", ["sexual", "sexual/minors"]],
    ["S5", ["harassment"]],
    ["S6", ["specialised-advice"]],
    ["S7", ["privacy"]],
    ["S8", ["intellectual-property"]],
    ["S9", ["illicit/violent"]],
    ["S10", ["hate"]],
    ["S11", ["self-harm"]],
    ["S12", ["sexual"]],
    ["S13", ["elections"]],
    ["S14", ["illicit"]],
    ["S99", ["S99"]],
  ])("%s is %j", (code, categories) => {
    expect(flagged(`\nunsafe\n${code}`)).toEqual(categories);
  });

  test.each(["unsafe\nS1, S10", "unsafe S1,S10", "UNSAFE\n\nS1,S10\n"])("%j", (words) => {
    expect(flagged(words)).toEqual(["hate", "illicit/violent", "violence"]);
  });

  test("unsafe without a reason is flagged, safe is not, whatever follows", () => {
    expect(say("unsafe")).toMatchObject({ flagged: true });
    expect(say("safe")).toMatchObject({ flagged: false });
    expect(flagged("safe\nS1")).toEqual([]);
  });

  test.each(["", "S1", "I think it is unsafe", "safety first", "unsafely"])("%j is no verdict", (words) => {
    expect(thrown(() => say(words))).toMatchObject({ code: "upstream_protocol_error" });
  });

  const unsafe = (token: string, logprob: number, top: object[] = []) => [{ token, logprob, top_logprobs: top }];
  test.each([
    ["the word itself", unsafe("unsafe", Math.log(0.6)), 0.6],
    ["one of the alternatives", unsafe("safe", Math.log(0.3), [{ token: "unsafe", logprob: Math.log(0.7) }]), 0.7],
    ["what is left of safe", unsafe("safe", Math.log(0.25)), 0.75],
    ["nothing that is told", unsafe("un", Math.log(0.2)), 1],
  ])("its score comes from %s", (_name, logprobs, score) => {
    expect(say("unsafe\nS10", logprobs)?.findings.get("hate")?.score).toBeCloseTo(score);
  });
});

test("a moderator that a dialect cannot give a schema is asked in plain words", () => {
  const strict = {
    ...openaiChat,
    request: { ...openaiChat.request, render: renderPlain },
  } as unknown as typeof openaiChat;
  const moderator = moderatorIn(strict, moderatorForms.chat);
  const { call } = moderator.request.render(ask(), renderContextOf(moderator as unknown as UpstreamDialect));
  expect(call.body).not.toHaveProperty("response_format");
  expect(call.again?.body).toEqual(call.body);
});

const renderPlain: typeof openaiChat.request.render = (requested, context) => {
  if (requested.format !== undefined) throw new Error("no words for it");
  return openaiChat.request.render(requested, context);
};
