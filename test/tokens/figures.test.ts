// The cheap pass over a request: its bound is above every tokenizer's count, its quick estimate near OpenAI's.
import { expect, test } from "bun:test";
import { defaultFamily, tokenFamilyOf } from "../../src/dialects/tokens/families.ts";
import { approximateText } from "../../src/dialects/tokens/figures.ts";
import { scanText, TextScanner } from "../../src/dialects/tokens/text-scan.ts";
import fixtures from "../fixtures/tokens/texts.json";

const texts = Object.entries(fixtures).map(([name, { text, tokens }]) => ({ name, text, tokens }));
const usual = texts.filter(({ name }) => /^(?:english|chinese|code|json)-/.test(name));

test("the bound is at least the truth of every tokenizer", () => {
  const cases = texts.flatMap(({ name, text, tokens }) =>
    Object.entries(tokens).map(([family, count]) => ({ name, family, count, bound: Math.ceil(scanText(text).bound) })),
  );
  const below = cases.filter(({ count, bound }) => bound < count);
  expect(below).toEqual([]);
});

test("the bound of usual texts is below four times the truth", () => {
  const loose = usual.filter(({ text, tokens }) => scanText(text).bound > 4 * tokens.o200k);
  expect(loose.map(({ name }) => name)).toEqual([]);
});

test("the quick estimate is within 20 % of OpenAI's count of usual texts", () => {
  const off = usual
    .map(({ name, text, tokens }) => ({ name, off: approximateText(scanText(text), defaultFamily) / tokens.o200k - 1 }))
    .filter((each) => Math.abs(each.off) > 0.2);
  expect(off).toEqual([]);
});

test("long texts are read in windows, to the same figures", () => {
  const text = usual.map((each) => each.text).join("\n");
  const whole = new TextScanner();
  for (let at = 0; at < text.length; at += 4_000) whole.add(text.slice(at, at + 4_000));
  const long = scanText(text.repeat(40));
  const { plain, cjk } = whole.result();
  expect((long.plain + long.cjk) / ((plain + cjk) * 40)).toBeWithin(0.8, 1.2);
  const most = usual.reduce((sum, { tokens }) => sum + Math.max(...Object.values(tokens)), 0);
  expect(long.bound).toBeGreaterThan(most * 40);
});

test("a pass never holds up the event loop", () => {
  const huge = "All work and no play makes a dull day. ".repeat(400_000);
  const many = Array.from({ length: 5_000 }, (_, at) => `line ${at} `.repeat(50));
  scanText(huge);
  for (const each of [[huge], many]) {
    const times = Array.from({ length: 9 }, () => {
      const before = performance.now();
      const scanner = new TextScanner();
      for (const text of each) scanner.add(text);
      scanner.result();
      return performance.now() - before;
    });
    expect(Math.min(...times)).toBeLessThan(1);
  }
});

test("families are told by the names of models", () => {
  const names = (kind: string, models: readonly string[]): string[] =>
    models.map((model) => tokenFamilyOf(kind, model).name);
  expect(names("compatible", ["gpt-4o", "openai/gpt-5.1", "anthropic/claude-sonnet-4.5", "gemini-2.5-pro"])).toEqual([
    ...["openai", "openai", "claude", "gemini"],
  ]);
  expect(names("compatible", ["Qwen/Qwen3-32B", "meta-llama/Llama-3.3-70B", "deepseek-chat", "anything"])).toEqual([
    ...["qwen", "llama", "deepseek", "unknown"],
  ]);
  expect(names("anthropic", ["claude-x", "anything"])).toEqual(["claude", "claude"]);
});
