// Portkey's gateway from npm, installed from the lockfile beside it when the benchmark first wants it.
// Its package.json holds @hono/node-server at 1.14.1: with later ones Portkey 1.15.2 answers every stream
// under Node with 500 (Portkey-AI/gateway issue 1389).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Command, manyRequests } from "../service.ts";

const home = join(import.meta.dir, "portkey");
const entry = join(home, "node_modules/@portkey-ai/gateway/build/start-server.js");

/** Says why Portkey cannot run here, or nothing. */
export async function installPortkey(): Promise<string | undefined> {
  if (existsSync(entry)) return undefined;
  if (Bun.which("npm") === null) return "npm is not installed";
  console.error("Installing Portkey for the benchmark (npm ci) ...");
  const child = Bun.spawn(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: home,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const complaint = await new Response(child.stderr).text();
  return (await child.exited) === 0 ? undefined : `npm ci failed: ${complaint.trim().slice(-300)}`;
}

/** `--headless` leaves out its log page; loopback must be named as a host that a caller may choose. */
export function portkeyCommand(runtime: string, port: number): Command {
  return {
    words: [runtime, entry, "--headless", `--port=${port}`],
    env: { ...manyRequests, TRUSTED_CUSTOM_HOSTS: "127.0.0.1", NODE_ENV: "production" },
    cwd: home,
    readyPath: "/",
  };
}

/** Portkey keeps no providers: each request says where it goes. */
export function portkeyHeaders(upstreamPort: number): Record<string, string> {
  return {
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `http://127.0.0.1:${upstreamPort}/v1`,
    authorization: "Bearer bench-upstream",
  };
}
