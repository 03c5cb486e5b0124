// Boots the gateway for a test: in this process with its own folder and port, or as a child that can be killed.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Discovery } from "../../src/app/local-servers.ts";
import { start } from "../../src/app.ts";
import type { Policy } from "../../src/gateway/policy/policy.ts";

export const clientKey = "tp-test-key";
export const adminKey = "tp-test-admin-key";

export interface GatewayOptions {
  /** The text of turnpike.yaml. */
  yaml?: string;
  environment?: Record<string, string | undefined>;
  /** The data folder of a gateway that ran before. Default: a new one, which `stop` removes. */
  dataFolder?: string;
  /** Silence before a heartbeat, in milliseconds. Only for a gateway in this process. */
  heartbeatMs?: number;
  /** Who is asked for names in URLs. Only for a gateway in this process. */
  nameServers?: string[];
  /** How long it answers new requests after the order to stop. Default 0. Only for a gateway in this process. */
  announceMs?: number;
  /** How many times as long as usual it waits between two looks at a video. Only for a gateway in this process. */
  videoWaitScale?: number;
  /** Where and how often model servers on this machine are looked for; without it nowhere. Only for a gateway in this process. */
  discovery?: Discovery;
  /** Further rules for every exchange. Only for a gateway in this process. */
  policies?: readonly Policy[];
  /** Measures how long the event loop is kept busy. Only for a gateway in a process of its own. */
  monitored?: boolean;
  /** The built executable, in place of the source. Only for a gateway in a process of its own. */
  executable?: string;
  /** A module that is loaded before it starts. Only for a gateway in a process of its own. */
  preload?: string;
}

export interface RunningGateway {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  url: string;
  key: string;
  dataFolder: string;
  /** What it has printed. */
  lines: string[];
  /** Lines of its log. */
  log: string[];
  stop(): Promise<void>;
}

export interface ChildGateway extends RunningGateway {
  process: Bun.Subprocess;
  /** Ends it with a signal (default SIGKILL) and resolves with its exit code when it is gone; its folder stays until `stop`. */
  kill(signal?: NodeJS.Signals): Promise<number>;
  /** The longest time that its event loop was kept busy since the last call. Only where it is `monitored`. */
  longestTurnMs(): Promise<number>;
}

/** Starts a gateway in this process. */
export async function gateway(options: GatewayOptions = {}): Promise<RunningGateway> {
  const place = prepare(options);
  const lines: string[] = [];
  const log: string[] = [];
  const running = await start({
    environment: place.environment,
    workingFolder: place.workingFolder,
    discovers: options.discovery !== undefined,
    // Clients of most tests do not go elsewhere.
    announceMs: options.announceMs ?? 0,
    // This process holds every other test's memory too, which must not make the gateway refuse.
    memory: { residentBytes: () => 0, collect: () => undefined },
    ...(options.policies === undefined ? {} : { policies: options.policies }),
    ...(options.discovery === undefined ? {} : { discovery: options.discovery }),
    print: (line) => void lines.push(line),
    log: (line) => void log.push(line),
    ...(options.heartbeatMs === undefined ? {} : { heartbeatMs: options.heartbeatMs }),
    ...(options.nameServers === undefined ? {} : { nameServers: options.nameServers }),
    ...(options.videoWaitScale === undefined ? {} : { videoWaitScale: options.videoWaitScale }),
  });
  const url = running.url.replace(/\/$/, "");
  const stop = async () => {
    await running.stop();
    place.remove();
  };
  return { url, key: clientKey, dataFolder: place.dataFolder, lines, log, stop };
}

/** Starts a gateway as a process of its own, and waits for the line that says its address. */
export async function spawnGateway(options: GatewayOptions = {}): Promise<ChildGateway> {
  const place = prepare(options);
  const main = join(import.meta.dir, "..", "..", "src", "main.ts");
  const modules = [...(options.monitored ? ["loop-monitor.ts"] : []), ...(options.preload ? [options.preload] : [])];
  const preloads = modules.flatMap((module) => ["--preload", join(import.meta.dir, module)]);
  let received = Promise.withResolvers<number>();
  const command = options.executable === undefined ? [process.execPath, ...preloads, main] : [options.executable];
  const child = Bun.spawn(command, {
    cwd: place.workingFolder,
    env: { PATH: process.env["PATH"], BUN_CONFIG_MAX_HTTP_REQUESTS: "65336", ...place.environment },
    stdout: "pipe",
    stderr: "pipe",
    ...(options.monitored ? { ipc: (message: number) => received.resolve(message) } : {}),
  });
  const longestTurnMs = async () => {
    received = Promise.withResolvers();
    child.send("longest");
    return await received.promise;
  };
  const lines: string[] = [];
  const log: string[] = [];
  void readLines(child.stderr, (line) => void log.push(line));
  const url = await addressPrinted(child.stdout, lines, log);
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    child.kill(signal);
    return await child.exited;
  };
  const stop = async () => {
    await kill("SIGTERM");
    place.remove();
  };
  return { url, key: clientKey, dataFolder: place.dataFolder, lines, log, process: child, kill, stop, longestTurnMs };
}

function prepare(options: GatewayOptions) {
  const workingFolder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  const dataFolder = options.dataFolder ?? join(workingFolder, "data");
  if (options.yaml !== undefined) writeFileSync(join(workingFolder, "turnpike.yaml"), options.yaml);
  const environment: Record<string, string | undefined> = {
    PORT: "0",
    HOST: "127.0.0.1",
    TURNPIKE_DATA: dataFolder,
    TURNPIKE_KEY: clientKey,
    TURNPIKE_ADMIN_KEY: adminKey,
    // What is copied would be asked for behind a test's back.
    TURNPIKE_VIDEO_RESULTS: "proxy",
    ...options.environment,
  };
  const remove = () => rmSync(workingFolder, { recursive: true, force: true });
  return { workingFolder, dataFolder, environment, remove };
}

async function addressPrinted(output: ReadableStream<Uint8Array>, lines: string[], log: string[]): Promise<string> {
  const found = Promise.withResolvers<string>();
  const reading = readLines(output, (line) => {
    lines.push(line);
    const address = /http:\/\/[\w.]+:\d+/.exec(line)?.[0];
    if (address) found.resolve(address);
  });
  void reading.then(() =>
    found.reject(new Error(`the gateway ended before it said its address:\n${[...lines, ...log].join("\n")}`)),
  );
  return await found.promise;
}

async function readLines(output: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of output) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) onLine(line);
  }
  if (rest) onLine(rest);
}
