// How far the estimate is from what each tokenizer counts, over the texts whose true counts stand in the fixtures.
import { afterAll, describe, expect, test } from "bun:test";
import { defaultLimits } from "../../src/config/limits.ts";
import { tokenFamilyOf } from "../../src/dialects/tokens/families.ts";
import { countText, startTokenCounter } from "../../src/providers/token-counter/index.ts";
import fixtures from "../fixtures/tokens/texts.json";

const counter = startTokenCounter(defaultLimits);
afterAll(() => counter.close());

type Tokenizer = keyof (typeof fixtures)["english-letter"]["tokens"];
const texts = Object.entries(fixtures).map(([name, { text, tokens }]) => ({ name, text, tokens }));
const kinds = ["english", "chinese", "code", "json"] as const;
const usual = texts.filter(({ name }) => kinds.some((kind) => name.startsWith(`${kind}-`)));

interface Measured {
  readonly name: string;
  readonly estimate: number;
  readonly truth: number;
}

const measured = (model: string, tokenizer: Tokenizer, among: typeof texts): Promise<Measured[]> =>
  Promise.all(
    among.map(async ({ name, text, tokens }) => {
      const estimate = Math.round(await countText(counter, text, tokenFamilyOf("", model)));
      return { name, estimate, truth: tokens[tokenizer] };
    }),
  );

const sum = (all: readonly number[]): number => all.reduce((left, right) => left + right, 0);
const offOf = ({ estimate, truth }: Omit<Measured, "name">): number => estimate / truth - 1;
const outside = (all: readonly Measured[], least: number, most: number): Measured[] =>
  all.filter((each) => offOf(each) < least || offOf(each) > most);

test.each([
  ["gpt-4o", "o200k"],
  ["gpt-5", "o200k"],
  ["gpt-4", "cl100k"],
  ["text-embedding-3-small", "cl100k"],
] as const)(
  "%s: exact to one token, for every text",
  async (model, tokenizer) => {
    const found = await measured(model, tokenizer, texts);
    // A text without white space is cut where it is long, and a token can be cut with it.
    expect(found.filter(({ estimate, truth }) => Math.abs(estimate - truth) > 1)).toEqual([]);
    expect(found.filter(({ estimate, truth }) => estimate !== truth).length).toBeLessThanOrEqual(1);
  },
  60_000,
);

/** The figures of the table in docs/billing.md. A wider bound here has to be written there. */
const families = [
  { model: "llama-3.3-70b", tokenizer: "llama3", together: 0.02, each: 0.07, other: [-0.01, 1] },
  { model: "qwen3-32b", tokenizer: "qwen3", together: 0.03, each: 0.14, other: [-0.01, 1.01] },
  { model: "deepseek-chat", tokenizer: "deepseek", together: 0.04, each: 0.19, other: [-0.47, 0.26] },
  { model: "gemini-2.5-pro", tokenizer: "gemma3", together: 0.06, each: 0.14, other: [-0.11, 0.59] },
  { model: "claude-sonnet-4-5", tokenizer: "claude2", together: 0.09, each: 0.19, other: [-0.31, 0.23] },
] as const;

describe.each(families)("$model, as $tokenizer counts", ({ model, tokenizer, together, each, other }) => {
  test.each(kinds)(
    "%s",
    async (kind) => {
      const found = await measured(
        model,
        tokenizer,
        usual.filter(({ name }) => name.startsWith(`${kind}-`)),
      );
      expect(outside(found, -each, each)).toEqual([]);
      const whole = {
        estimate: sum(found.map(({ estimate }) => estimate)),
        truth: sum(found.map(({ truth }) => truth)),
      };
      expect(Math.abs(offOf(whole))).toBeLessThanOrEqual(together);
    },
    60_000,
  );

  test("everything else", async () => {
    const found = await measured(
      model,
      tokenizer,
      texts.filter((text) => !usual.includes(text)),
    );
    const [least, most] = other;
    expect(outside(found, least, most)).toEqual([]);
  }, 60_000);
});

/** Texts that the rates of the scripts were not made from, counted with @anthropic-ai/tokenizer 0.0.4. */
test.each([
  ["Завтра утром мы поедем на дачу, потому что погода обещает быть тёплой.", 38],
  ["Учора ввечері ми довго розмовляли про подорож до Карпат, і врешті вирішили вирушити в неділю.", 56],
  ["مشينا على الشاطئ حتى غروب الشمس، ثم شربنا الشاي في مقهى صغير.", 57],
  ["कल सुबह हम गाँव जाएंगे, क्योंकि दादी ने सबको खाने पर बुलाया है।", 70],
  ["พรุ่งนี้เช้าพวกเราจะไปตลาดน้ำเพื่อซื้อผลไม้และดอกไม้", 90],
  ["내일 아침에는 친구들과 함께 산에 올라가기로 했습니다.", 33],
  ["מחר בבוקר ניסע לים עם הילדים, כי מזג האוויר צפוי להיות נעים.", 49],
])(
  "Claude's count of %s",
  async (text, truth) => {
    const estimate = await countText(counter, text, tokenFamilyOf("", "claude-sonnet-4-5"));
    expect(Math.abs(estimate / truth - 1)).toBeLessThanOrEqual(0.2);
  },
  60_000,
);
