// The process that transcodes speech: its bounds, its faults and its surroundings, with programs of our own in place of ffmpeg.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/until.ts";
import { bytesOf, errorOf, lossesOf, plain, samples } from "./sounds.ts";
import { stage } from "./stage.ts";

// Every test starts processes, on a machine that may be busy.
setDefaultTimeout(90_000);

const folder = mkdtempSync(join(tmpdir(), "transcoding-bounds-"));
const program = join(folder, "program");
const notes = join(folder, "notes");
afterAll(() => rmSync(folder, { recursive: true }));

/** What runs in place of ffmpeg from now on. */
function runs(script: string): void {
  rmSync(notes, { force: true });
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
}
runs("exit 1");

const maxBytes = 100_000;
const { upstream, speak } = await stage(
  { TURNPIKE_FFMPEG: program, TURNPIKE_SECRET: "canary-secret-of-the-gateway" },
  { max_transcodes: 1, transcode_bytes: maxBytes },
);
const hurried = await stage({ TURNPIKE_FFMPEG: program }, { transcode_ms: 300 });
const without = await stage({ TURNPIKE_FFMPEG: "off" });

const requested = { model: "elevenlabs/eleven_flash_v2_5", voice: "anna", response_format: "aac" };
const sound = plain(samples, "audio/pcm");
const failed = { status: 502, param: "response_format", code: "transcoding_failed" };
const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`);
const noted = async (): Promise<string> => {
  await until("the program has written", () => existsSync(notes) && readFileSync(notes, "utf8").endsWith("\n"));
  return readFileSync(notes, "utf8");
};
/** Reads to the end; what the reader was told. */
const endOf = async (reader: { read(): Promise<{ done: boolean }> }): Promise<string> => {
  try {
    while (!(await reader.read()).done);
    return "whole";
  } catch {
    return "broken";
  }
};

test("its arguments are fixed, and nothing of the gateway's environment is there", async () => {
  runs(`/usr/bin/env > ${notes}; echo "$@" >> ${notes}; /bin/cat`);
  upstream.on("*", sound);
  const answer = await speak(requested);
  expect([answer.status, lossesOf(answer)]).toEqual([200, "emulated;field=response_format"]);
  expect((await bytesOf(answer)).equals(samples)).toBe(true);
  const events = await noted();
  expect(events).toContain("-protocol_whitelist pipe");
  expect(events).toContain("-f s16le -ar 24000 -ac 1 -i pipe:0");
  expect(events).not.toContain("canary");
  // What a shell sets for itself.
  const names = events.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
  expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD", "PATH"].includes(name))).toEqual([]);
});

describe("a failure", () => {
  test.each(["exit 1", "/bin/cat > /dev/null", "kill -9 $$"])("before the first byte is 502: %s", async (script) => {
    runs(script);
    upstream.on("*", sound);
    expect(await errorOf(await speak(requested))).toEqual(failed);
  });

  test("behind the first byte breaks the connection", async () => {
    const rest = Promise.withResolvers<void>();
    runs("/bin/cat; exit 1");
    upstream.on("*", { ...sound, gate: rest.promise });
    const body = (await speak(requested)).body!.getReader();
    await body.read();
    rest.resolve();
    expect(await endOf(body)).toBe("broken");
  });

  test("of a program that ends well before the sound does breaks the connection", async () => {
    const rest = Promise.withResolvers<void>();
    runs(`echo $$ > ${notes}; /usr/bin/head -c 8; until [ -e ${folder}/go ]; do /bin/sleep 0.01; done`);
    upstream.on("*", { ...sound, gate: rest.promise });
    const body = (await speak(requested)).body!.getReader();
    await body.read();
    writeFileSync(join(folder, "go"), "");
    const pid = Number(await noted());
    await until("the process is gone", () => !isRunning(pid));
    rest.resolve();
    expect(await endOf(body)).toBe("broken");
  });

  test("of the provider is the provider's", async () => {
    runs("/bin/cat");
    upstream.on("*", { status: 422, json: { detail: { status: "x", message: "no" } } });
    expect((await errorOf(await speak(requested))).status).toBe(422);
    upstream.on("*", sound);
    expect((await bytesOf(await speak(requested))).equals(samples)).toBe(true);
  });
});

test("a client that leaves ends the process, and its place is free again", async () => {
  runs(`echo $$ > ${notes}; exec /bin/cat`);
  upstream.on("*", { ...sound, ending: "hang" });
  const leaving = new AbortController();
  const reply = await speak(requested, {}, leaving.signal);
  await reply.body!.getReader().read();
  const pid = Number(await noted());
  expect(isRunning(pid)).toBe(true);
  leaving.abort();
  await until("the process is gone", () => !isRunning(pid));
  upstream.on("*", sound);
  await until("there is room again", async () => (await bytesOf(await speak(requested))).equals(samples));
});

test("beyond the number at once it is 503, and the provider is not asked", async () => {
  runs("exec /bin/cat");
  const rest = Promise.withResolvers<void>();
  upstream.on("*", { ...sound, gate: rest.promise });
  const first = await speak(requested);
  expect(await errorOf(await speak(requested))).toMatchObject({ status: 503, code: "overloaded" });
  expect(upstream.requests).toHaveLength(1);
  rest.resolve();
  await bytesOf(first);
  expect((await bytesOf(await speak(requested))).equals(samples)).toBe(true);
});

test("beyond the bytes it ends", async () => {
  runs("exec /bin/cat");
  const rest = Promise.withResolvers<void>();
  const pieces = Array.from({ length: 4 }, () => Buffer.alloc(maxBytes / 2, 1));
  upstream.on("*", { ...sound, bytes: [samples, ...pieces], gate: rest.promise });
  const body = (await speak(requested)).body!.getReader();
  await body.read();
  rest.resolve();
  expect(await endOf(body)).toBe("broken");
  // The first look at its output may find too much, or only the second.
  runs("/bin/cat > /dev/null; exec /usr/bin/head -c 100001 /dev/zero");
  upstream.on("*", sound);
  const bloated = await speak(requested).catch(() => null);
  expect(bloated === null || bloated.status === 502 || (await endOf(bloated.body!.getReader())) === "broken").toBe(
    true,
  );
});

test("beyond the time it ends", async () => {
  runs(`echo $$ > ${notes}; exec /bin/sleep 600`);
  hurried.upstream.on("*", sound);
  expect(await errorOf(await hurried.speak(requested))).toEqual(failed);
  const pid = Number(await noted());
  await until("the process is gone", () => !isRunning(pid));
});

test("a process that takes nothing holds the provider back", async () => {
  runs(`echo $$ > ${notes}; /bin/echo begun; exec /bin/sleep 600`);
  const pieces = Array.from({ length: 40 }, () => Buffer.alloc(1 << 20, 1));
  without.upstream.clear();
  hurried.upstream.on("*", { ...sound, bytes: pieces });
  const body = (await hurried.speak(requested)).body!.getReader();
  expect(await endOf(body)).toBe("broken");
  expect(hurried.upstream.requests.at(-1)?.sentBytes).toBeLessThan(20 << 20);
});

test("without a program an explicit format is refused, and an open one gets the nearest", async () => {
  expect(await errorOf(await without.speak(requested))).toEqual({
    status: 400,
    param: "response_format",
    code: "unsupported_parameter",
  });
  without.upstream.on("*", plain(samples, "audio/wav"));
  const answer = await without.speak({ model: "groq/orpheus" });
  expect([answer.status, lossesOf(answer)]).toEqual([200, "approximated;field=response_format"]);
});
