// Subtitles: times that do not overflow, texts that cannot break out of their cue, lines that fit a screen; and the header of a WAV file.
import { describe, expect, test } from "bun:test";
import { soundSeconds } from "../../src/dialects/shared/audio-duration.ts";
import { wavHeader } from "../../src/dialects/shared/audio-format.ts";
import { cuesOf, srt, vtt } from "../../src/dialects/transcription/subtitles.ts";

const cue = { text: "Hi", start: 0, end: 2.5 };

test("the vectors of the reference", () => {
  expect(srt([cue])).toBe("1\n00:00:00,000 --> 00:00:02,500\nHi\n\n");
  expect(vtt([cue])).toBe("WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nHi\n\n");
  expect(srt([{ ...cue, start: 59.9996, end: 3661.0005 }])).toContain("00:01:00,000 --> 01:01:01,001\n");
  expect(Buffer.from(wavHeader(4, 24_000)).toString("hex")).toBe(
    "524946462800000057415645666d74201000000001000100c05d000080bb0000020010006461746104000000",
  );
});

test("hours may have three digits", () => {
  expect(srt([{ ...cue, end: 360_000 }])).toContain("--> 100:00:00,000\n");
});

test("no text leaves its cue", () => {
  const text = "a --> b\n\n2\n<b>&";
  expect(srt([{ ...cue, text }])).toBe("1\n00:00:00,000 --> 00:00:02,500\na -> b\n2\n<b>&\n\n");
  expect(vtt([{ ...cue, text }])).toContain("a -> b\n2\n&lt;b>&amp;\n\n");
});

describe("words become lines", () => {
  const word = (text: string, start: number, end = start + 0.2) => ({ word: text, start, end });
  const texts = (...words: ReturnType<typeof word>[]) => cuesOf(words).map(({ text }) => text);

  test("at a pause", () => {
    expect(texts(word("a", 0), word("b", 1), word("c", 2.01))).toEqual(["a b", "c"]);
  });
  test("behind a sentence", () => {
    expect(texts(word("Yes.", 0), word("No", 0.3))).toEqual(["Yes.", "No"]);
  });
  test("without spaces where the script has none", () => {
    expect(texts(word("你", 0), word("好,", 0.3), word("世", 0.6), word("界。", 0.9), word("再", 1.2))).toEqual([
      "你好, 世界。",
      "再",
    ]);
    expect(texts(word("東京", 0), word("の", 0.3), word("カ", 0.6), word("ー", 0.9), word("𠮷", 1.2))).toEqual([
      "東京のカー𠮷",
    ]);
    expect(texts(word("用", 0), word("GPT", 0.3), word("说", 0.6), word("，", 0.9), word("好", 1.2))).toEqual([
      "用 GPT 说，好",
    ]);
    expect(texts(word("안녕", 0), word("세계", 0.3), word("สวัส", 0.6), word("ดี", 0.9))).toEqual(["안녕 세계 สวัสดี"]);
  });
  test("where one grows too long", () => {
    const long = Array.from({ length: 20 }, (_, index) => word("word5", index * 0.25));
    expect(texts(...long).every((text) => text.length <= 84)).toBe(true);
    expect(texts(word("a", 0, 3), word("b", 3, 6.1))).toEqual(["a", "b"]);
    expect(texts(word("a", 0, 3), word("b", 3, 6))).toEqual(["a b"]);
  });
});

test("whatever bytes are called a recording, its length is a number", () => {
  const heads = [
    "524946462400000057415645666d7420",
    "4f676753",
    "664c6143",
    "494433",
    "fffb9064",
    "fff15080",
    "1a45dfa3",
    "00000020667479706d703432",
    "4f6767530002",
    "",
  ];
  const tails = [
    "",
    "00",
    "ff".repeat(40),
    "00".repeat(40),
    "2ad7b1834489884489",
    "6d766864",
    "4f70757348656164",
    "01766f72626973",
    "64617461ffffffff",
  ];
  for (const head of heads)
    for (const tail of tails) {
      const seconds = soundSeconds(Buffer.from(head + tail, "hex"));
      expect(Number.isFinite(seconds) && seconds >= 0).toBe(true);
    }
});
