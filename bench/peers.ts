// The table of what is measured side by side, in the order of the report.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nginxConfig } from "./peers/nginx.ts";
import { installPortkey, portkeyCommand, portkeyHeaders } from "./peers/portkey.ts";
import { turnpikeCommand, turnpikeEntry } from "./peers/turnpike.ts";
import { type Command, manyRequests } from "./service.ts";

/** Where a peer runs in this benchmark. `folder` is its own. */
export type Place = { port: number; upstreamPort: number; folder: string };

export type PeerName = "upstream" | "relay" | "turnpike" | "portkey-node" | "portkey-bun" | "nginx";

export type Peer = {
  name: PeerName;
  title: string;
  /** Says why the peer cannot run on this machine, or nothing. */
  unavailable(): Promise<string | undefined>;
  /** `undefined` for the upstream itself, which runs anyway. */
  command: ((place: Place) => Command) | undefined;
  /** Headers that this peer wants beside the common ones. */
  headers(upstreamPort: number): Record<string, string>;
};

const clientKey = "tp-bench-0123456789abcdef0123456789abcdef";
const bearer = () => ({ authorization: `Bearer ${clientKey}` });
const always = async () => undefined;
const installed = (tool: string) => async () => (Bun.which(tool) === null ? `${tool} is not installed` : undefined);

function nginxCommand({ port, upstreamPort, folder }: Place): Command {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "nginx.conf");
  writeFileSync(config, nginxConfig(port, upstreamPort, folder));
  return {
    words: [Bun.which("nginx") ?? "nginx", "-c", config, "-p", folder, "-e", "stderr"],
    env: {},
    readyPath: "/readyz",
  };
}

function relayCommand({ port, upstreamPort }: Place): Command {
  const env = {
    ...manyRequests,
    PORT: String(port),
    UPSTREAM: `http://127.0.0.1:${upstreamPort}/v1`,
    RELAY_KEY: clientKey,
  };
  return { words: [process.execPath, join(import.meta.dir, "peers/relay.ts")], env, readyPath: "/" };
}

export const peers: Peer[] = [
  { name: "upstream", title: "Upstream only", unavailable: always, command: undefined, headers: bearer },
  { name: "relay", title: "Bare Bun relay", unavailable: always, command: relayCommand, headers: bearer },
  {
    name: "turnpike",
    title: "Turnpike",
    unavailable: async () => (existsSync(turnpikeEntry) ? undefined : "src/main.ts does not exist yet"),
    command: ({ port, upstreamPort, folder }) => turnpikeCommand(port, upstreamPort, folder, clientKey),
    headers: bearer,
  },
  {
    name: "portkey-node",
    title: "Portkey under Node",
    unavailable: async () => (await installed("node")()) ?? (await installPortkey()),
    command: ({ port }) => portkeyCommand("node", port),
    headers: portkeyHeaders,
  },
  {
    name: "portkey-bun",
    title: "Portkey under Bun",
    unavailable: installPortkey,
    command: ({ port }) => portkeyCommand(process.execPath, port),
    headers: portkeyHeaders,
  },
  { name: "nginx", title: "nginx", unavailable: installed("nginx"), command: nginxCommand, headers: bearer },
];
