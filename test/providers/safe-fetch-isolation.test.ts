// The guarded fetcher by itself: no proxy of the environment comes between, and no other file reaches the network.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { upstream } from "../support/upstream.ts";
import { trap } from "./safe-fetch-support.ts";

const root = join(import.meta.dir, "..", "..");

test("proxy variables are not obeyed", async () => {
  const store = await upstream();
  const proxy = trap();
  store.on("*", { text: "straight" });
  const address = `http://127.0.0.1:${proxy.port}`;
  const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
  const proxies = Object.fromEntries(names.map((name) => [name, address]));
  const script = `
    import { safeFetch } from "${join(root, "src/providers/safe-fetch/index.ts")}";
    const signal = new AbortController().signal;
    const options = { givenBy: "client", maxBytes: 99, timeoutMs: 2000, signal, allow: ["${new URL(store.url).host}"], dns: async () => [] };
    const { bytes } = await safeFetch("${store.url}/", options);
    process.stdout.write(bytes);`;
  const env = { PATH: process.env["PATH"], NODE_USE_ENV_PROXY: "1", ...proxies };
  const child = Bun.spawn([process.execPath, "-e", script], { env, stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("straight");
  expect(proxy.caught()).toBe(0);
  proxy.stop();
  await store.stop();
});

/** Who may reach out, and where to. */
const mayReachOut: Record<string, string> = {
  "src/providers/transport/connection.ts": "the addresses of configured providers",
  "src/providers/transport/proxied.ts": "configured proxies",
  "src/providers/safe-fetch/connect.ts": "addresses that were checked",
  "src/providers/transport/connection-watch.ts": "the addresses of configured providers, without sending anything",
  "src/app/startup-check.ts": "its own loopback server",
  "src/lib/address-set.ts": "nothing: it compares addresses",
};

const reachesOut =
  /(?<![.\w])fetch\(|"node:(?:http|https|http2|net|tls|dgram)"|Bun\.(?:connect|udpSocket)|new WebSocket/;

test("no other file reaches the network by itself", () => {
  const files = [...new Glob("src/**/*.ts").scanSync(root)].filter((path) => {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    const code = lines.filter((line) => !/^\s*(?:\/\/|\*|\/\*|import type )/.test(line)).join("\n");
    return reachesOut.test(code.replaceAll("async fetch(", ""));
  });
  const unknown = files.filter(
    (path) => mayReachOut[path] === undefined && !path.startsWith("src/providers/safe-fetch/"),
  );
  expect(unknown).toEqual([]);
  for (const path of Object.keys(mayReachOut)) expect(files).toContain(path);
});
