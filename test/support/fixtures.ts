// Real wire text from test/fixtures, as bodies, as frames, and as replies of the scripted upstream.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "./sample-responses.ts";

const folder = join(import.meta.dir, "..", "fixtures");

/** The text of a fixture, such as `openai-chat/text.json`, as it stands in the file. */
export function wireText(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

/** A JSON fixture, parsed. The caller names the shape that it expects. */
export function wireJson<Shape = Record<string, unknown>>(path: string): Shape {
  return JSON.parse(wireText(path)) as Shape;
}

/** The records of an event stream fixture, each with its blank line. */
export function wireFrames(path: string): string[] {
  return wireText(path).match(/[\s\S]+?\r?\n\r?\n/g) ?? [];
}

/** A reply that says a fixture. A file named `error-429…` answers 429; `.sse` streams. `twist` makes it misbehave. */
export function says(path: string, twist: Reply = {}): Reply {
  const isStream = path.endsWith(".sse");
  if (isStream) return { frames: wireFrames(path), ...twist };
  const status = Number(/error-(\d{3})/.exec(path)?.[1] ?? 200);
  return { status, ...twist, text: wireText(path), headers: { "content-type": "application/json", ...twist.headers } };
}

/** A stream fixture that stops after `count` frames, without its terminator. `twist` says how the connection ends. */
export function saysOnly(count: number, path: string, twist: Reply = {}): Reply {
  return { frames: wireFrames(path).slice(0, count), ...twist };
}
