// Runs the command line as a process of its own, in its own folder, with only the variables that it is given.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const main = join(import.meta.dir, "..", "..", "src", "main.ts");

export interface Place {
  folder: string;
  /** Runs a command to its end. */
  run(words: string[], environment?: Record<string, string>): Promise<Ended>;
  /** Starts the gateway and leaves it running; `ready` resolves when it has printed its address. */
  start(environment?: Record<string, string>): Started;
  remove(): void;
}

export interface Ended {
  code: number;
  out: string;
  err: string;
}

export interface Started {
  process: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** Lines that it has printed so far. */
  lines: string[];
  /** Resolves with the first line that matches; rejects with everything said when it ends without one. */
  says(pattern: RegExp): Promise<string>;
  url(): Promise<string>;
  /** Sends SIGTERM and resolves with its exit code. */
  stop(): Promise<number>;
}

/** A working folder with this turnpike.yaml in it. */
export function place(yaml?: string): Place {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-cli-"));
  if (yaml !== undefined) writeFileSync(join(folder, "turnpike.yaml"), yaml);
  const spawn = (words: string[], environment: Record<string, string> = {}) =>
    Bun.spawn([process.execPath, main, ...words], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...environment },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: 600_000,
    });
  return {
    folder,
    async run(words, environment) {
      const child = spawn(words, environment);
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      return { code, out, err };
    },
    start: (environment) => started(spawn([], environment)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function started(child: Started["process"]): Started {
  const lines: string[] = [];
  const complaints = child.stderr.text();
  const waiting: { pattern: RegExp; resolve(line: string): void }[] = [];
  const ended = listen(child.stdout, (line) => {
    lines.push(line);
    for (const { pattern, resolve } of waiting) if (pattern.test(line)) resolve(line);
  });
  const says = async (pattern: RegExp): Promise<string> => {
    const already = lines.find((line) => pattern.test(line));
    if (already !== undefined) return already;
    const found = Promise.withResolvers<string>();
    waiting.push({ pattern, resolve: found.resolve });
    void ended.then(async () => found.reject(new Error(`it ended:\n${lines.join("\n")}\n${await complaints}`)));
    return await found.promise;
  };
  return {
    process: child,
    lines,
    says,
    url: async () => /http:\/\/\S+/.exec(await says(/listening on/))?.[0] ?? "",
    async stop() {
      child.kill("SIGTERM");
      return await child.exited;
    },
  };
}

async function listen(output: ReadableStream<Uint8Array<ArrayBuffer>>, onLine: (line: string) => void): Promise<void> {
  let rest = "";
  for await (const text of output.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) onLine(line);
  }
}

/** Asks the sandbox for a chat completion with a key. */
export function askSandbox(url: string, key: string, content = "hi", model = "sandbox/chat"): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content }] }),
  });
}
