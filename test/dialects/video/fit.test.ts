// What a client wants against what upstreams offer, a row on each side of each bound.
import { expect, test } from "bun:test";
import {
  deepMerge,
  nearest,
  nearestRatio,
  nearestSize,
  pick,
  proportion,
  tierFor,
  within,
} from "../../../src/dialects/video/nearest-supported.ts";

test("lengths go to the nearest, ties upward", () => {
  expect([0, 4, 5.9, 6, 6.1, 9.9, 10, 99].map((wanted) => nearest(wanted, [4, 8, 12]))).toEqual([
    4, 4, 4, 8, 8, 8, 12, 12,
  ]);
  expect([1, 2, 4.4, 4.5, 15, 16].map((wanted) => within(wanted, 2, 15))).toEqual([2, 2, 4, 5, 15, 15]);
});

test("ratios go to the nearest in shape", () => {
  const allowed = ["16:9", "1:1", "9:16"] as const;
  expect(nearestRatio({ width: 1920, height: 1080 }, allowed)).toBe("16:9");
  expect(nearestRatio({ width: 500, height: 510 }, allowed)).toBe("1:1");
  expect(nearestRatio({ ratio: "3:4" }, allowed)).toBe("1:1");
  expect(nearestRatio({ height: 1080 }, allowed)).toBe("16:9");
  expect(nearestRatio({}, allowed)).toBeUndefined();
  expect(["16:9", "1280*720", "4 × 3", "0:1", "x", "16:0"].map(proportion)).toEqual([
    16 / 9,
    16 / 9,
    4 / 3,
    undefined,
    undefined,
    undefined,
  ]);
});

test("sizes go to the nearest shape, then to the nearest area", () => {
  const allowed = ["832*480", "480*832", "1280*720", "720*1280", "1920*1080"] as const;
  expect(nearestSize({ width: 1280, height: 720 }, allowed)).toBe("1280*720");
  expect(nearestSize({ width: 3840, height: 2160 }, allowed)).toBe("1920*1080");
  expect(nearestSize({ ratio: "9:16", resolution: "720p" }, allowed)).toBe("720*1280");
  expect(nearestSize({}, allowed)).toBeUndefined();
});

test("tiers go by the short side, to the nearest lower one", () => {
  const allowed = ["480p", "720p", "1080p"] as const;
  const sides = [100, 499, 699, 700, 999, 1000, 2160];
  expect(sides.map((side) => tierFor({ width: 4000, height: side }, allowed))).toEqual([
    "480p",
    "480p",
    "480p",
    "720p",
    "720p",
    "1080p",
    "1080p",
  ]);
  expect(tierFor({ resolution: "720P" }, ["512P", "768P", "1080P"])).toBe("768P");
  expect(tierFor({ resolution: "480p" }, ["720p", "1080p"])).toBe("720p");
  expect(tierFor({ resolution: "4K" }, ["720p", "4k"])).toBe("4k");
  expect(tierFor({ resolution: "best" }, allowed)).toBeUndefined();
});

test("only known names of metadata go through, objects are joined", () => {
  expect(pick({ style: "anime", callback_url: "x", seed: 1 }, ["style", "shot"])).toEqual({ style: "anime" });
  expect(deepMerge({ a: { x: 1, y: 2 }, b: 1 }, { a: { y: 3 }, c: [1] })).toEqual({ a: { x: 1, y: 3 }, b: 1, c: [1] });
});
