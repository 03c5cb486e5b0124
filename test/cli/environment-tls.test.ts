// Variables that weaken TLS or print credentials: a gateway that is started with them checks certificates and prints nothing.
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { certificateFor } from "../providers/safe-fetch-certificate.ts";
import { type ChildGateway, spawnGateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: certificateFor({ name: "localhost" }),
  fetch: () => Response.json({ choices: [{ message: { content: "intercepted" } }] }),
});
const plain = await upstream();
afterAll(async () => {
  await server.stop(true);
  await plain.stop();
});

const credential = "sk-canary-of-the-environment-1";

function ask({ url, key }: ChildGateway, model: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] });
  return fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
}

test("a certificate that nobody signed is refused, and no request is printed", async () => {
  plain.on("*", { status: 400, json: { error: { message: "no" } } });
  const child = await spawnGateway({
    yaml: `providers:
  secure: { kind: compatible, base_url: "https://localhost:${server.port}/v1", credential: ${credential}, models: [m] }
  plain: { kind: compatible, base_url: "${plain.url}/v1", credential: ${credential}, models: [m] }
`,
    environment: { NODE_TLS_REJECT_UNAUTHORIZED: "0", BUN_CONFIG_VERBOSE_FETCH: "curl" },
  });
  const answer = await ask(child, "secure/m");
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({
    status: 502,
    text: expect.stringContaining("upstream_unreachable"),
  });
  expect((await ask(child, "plain/m")).status).toBe(400);
  await child.kill("SIGTERM");
  const removed = child.log.filter((line) => line.includes("variables_removed"));
  expect(removed).toHaveLength(1);
  expect(removed[0]).toContain("NODE_TLS_REJECT_UNAUTHORIZED");
  expect(removed[0]).toContain("BUN_CONFIG_VERBOSE_FETCH");
  expect([...child.log, ...child.lines].filter((line) => line.includes(credential))).toEqual([]);
  await child.stop();
}, 60_000);

test("the check does not depend on the environment of the process", async () => {
  const file = join(import.meta.dir, "..", "..", "src", "providers", "upstream.ts");
  const code = `const { createSend } = await import(${JSON.stringify(file)});
    const signal = new AbortController().signal;
    const told = await createSend()({ method: "GET", url: "https://localhost:${server.port}/", headers: {}, signal })
      .then((response) => response.text(), (thrown) => thrown.kind);
    console.log(told);`;
  const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  const child = Bun.spawn([process.execPath, "-e", code], { env, stderr: "inherit" });
  expect((await new Response(child.stdout).text()).trim()).toBe("upstream_unreachable");
}, 60_000);
