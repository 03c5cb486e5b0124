// How long recordings are that real encoders made: told by their own headers, in every container that clients send.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { soundSeconds } from "../../src/dialects/shared/audio-duration.ts";
import { recordingType } from "../../src/dialects/transcription/audio-input.ts";

const hasEncoder = Bun.which("ffmpeg") !== null;
if (!hasEncoder) process.stderr.write("no ffmpeg here: the lengths of real recordings are not tested\n");

const seconds = 2.5;

test.skipIf(!hasEncoder).each([
  { ending: "wav", type: "audio/wav" },
  { ending: "flac", type: "audio/flac" },
  { ending: "mp3", type: "audio/mpeg" },
  { ending: "mp3", type: "audio/mpeg", more: ["-q:a", "2"] },
  { ending: "mp3", type: "audio/mpeg", more: ["-b:a", "64k", "-write_xing", "0", "-ar", "44100"] },
  { ending: "aac", type: "audio/aac" },
  { ending: "ogg", type: "audio/ogg", more: ["-c:a", "libopus"] },
  { ending: "ogg", type: "audio/ogg", more: ["-c:a", "libvorbis"] },
  { ending: "m4a", type: "audio/mp4" },
  { ending: "mp4", type: "audio/mp4", more: ["-movflags", "+faststart"] },
  { ending: "webm", type: "audio/webm", more: ["-c:a", "libopus"] },
])("$ending, case %#", ({ ending, type, more = [] }) => {
  const folder = mkdtempSync(join(tmpdir(), "length-"));
  const file = join(folder, `a.${ending}`);
  const source = ["-f", "lavfi", "-i", `sine=frequency=440:duration=${seconds}:sample_rate=24000`];
  const { exitCode, stderr } = Bun.spawnSync(["ffmpeg", "-v", "error", ...source, ...more, file]);
  expect({ exitCode, printed: stderr.toString() }).toEqual({ exitCode: 0, printed: "" });
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  expect(Math.abs(soundSeconds(bytes) - seconds)).toBeLessThan(0.12);
  expect(recordingType(bytes, "application/x")).toBe(type);
});
