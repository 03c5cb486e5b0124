// A provider with certificates of its own: its authority is checked, the gateway shows a certificate, and what is wrong is found at the start.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faultOf } from "../config/load.ts";
import { clientKey, gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";
import { authority, certificateFor } from "./safe-fetch-certificate.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-certificates-"));
const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
  return file;
};
const ours = authority();
const others = authority();
const shown = certificateFor({ name: "client.example" }, undefined, ours);
const stranger = certificateFor({ name: "client.example" }, undefined, others);

/** Demands a certificate of our authority. */
const serve = (subject: { name: string } | { ipv4: string }) =>
  Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    tls: { ...certificateFor(subject, undefined, ours), ca: ours.cert, requestCert: true, rejectUnauthorized: true },
    fetch: () =>
      Response.json({
        ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
        choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
  });
const right = serve({ name: "localhost" });
const elsewhere = serve({ name: "elsewhere.example" });
afterAll(async () => {
  await Promise.all([right.stop(true), elsewhere.stop(true)]);
  rmSync(folder, { recursive: true });
});

const files = {
  ca: write("ca.pem", ours.cert),
  otherCa: write("other-ca.pem", others.cert),
  cert: write("client.pem", shown.cert),
  key: write("client-key.pem", shown.key),
  strangerCert: write("stranger.pem", stranger.cert),
  strangerKey: write("stranger-key.pem", stranger.key),
};
const entry = (name: string, port: number | undefined, more: string): string =>
  `  ${name}: { kind: compatible, base_url: "https://localhost:${port}/v1", credential: canary-1234567890, models: [m], ${more} }\n`;
const client = `client_certificate_file: ${files.cert}, client_key_file: ${files.key}`;

const running = await gateway({
  yaml: `providers:
${entry("own", right.port, `ca_file: ${files.ca}, ${client}`)}${entry("unknown", right.port, client)}
${entry("other", right.port, `ca_file: ${files.otherCa}, ${client}`)}
${entry("silent", right.port, `ca_file: ${files.ca}`)}
${entry("stranger", right.port, `ca_file: ${files.ca}, client_certificate_file: ${files.strangerCert}, client_key_file: ${files.strangerKey}`)}
${entry("elsewhere", elsewhere.port, `ca_file: ${files.ca}, ${client}`)}
`,
});
afterAll(() => running.stop());

const ask = async (provider: string, url = running.url) => {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${clientKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: `${provider}/m`, messages: [{ role: "user", content: "hi" }] }),
  });
  return { status: answer.status, text: await answer.text() };
};

test("its own authority and the gateway's certificate are used for this provider only", async () => {
  expect(await ask("own")).toMatchObject({ status: 200, text: expect.stringContaining("hello") });
  // A connection that is open already belongs to the certificates that it was opened with.
  expect((await ask("silent")).status).not.toBe(200);
  expect((await ask("unknown")).status).not.toBe(200);
  expect((await ask("own")).status).toBe(200);
});

test.each([
  ["unknown", /issuer certificate|self.signed|verify/i],
  ["other", /issuer certificate|signature|verify/i],
  ["elsewhere", /altname|hostname|host/i],
  ["silent", /./],
  ["stranger", /./],
])("%s is refused: the client gets 502, and the log names the provider and the reason", async (name, reason) => {
  const { status, text } = await ask(name);
  expect(status).toBe(502);
  expect(text).not.toMatch(/certificate|localhost|127\.0\.0\.1/);
  const lines = running.log.map((line) => JSON.parse(line) as Record<string, unknown>);
  const failed = lines.filter(({ event, provider }) => event === "attempt_failed" && provider === name);
  expect(String(failed[0]?.["cause"])).toMatch(reason);
  expect(running.log.filter((line) => /canary|PRIVATE KEY/.test(line))).toEqual([]);
});

test("certificates that are replaced are used without a restart", async () => {
  const file = write("rotating.pem", stranger.cert);
  const key = write("rotating-key.pem", stranger.key);
  const config = write(
    "rotating.yaml",
    `providers:\n${entry("own", right.port, `ca_file: ca.pem, client_certificate_file: rotating.pem, client_key_file: rotating-key.pem`)}`,
  );
  const following = await gateway({ environment: { TURNPIKE_CONFIG: config } });
  expect((await ask("own", following.url)).status).toBe(502);
  writeFileSync(key, shown.key);
  writeFileSync(file, shown.cert);
  await until("the new certificate is shown", async () => (await ask("own", following.url)).status === 200);
  await following.stop();
}, 60_000);

test.each([
  ["ca_file: missing.pem", "turnpike.yaml line 2, providers.a.ca_file: the file cannot be read (ENOENT)"],
  [`ca_file: ${files.key}`, "providers.a.ca_file: has no certificate in PEM"],
  [`client_certificate_file: ${files.cert}`, "providers.a.client_certificate_file: requires `client_key_file` too"],
  [`client_key_file: ${files.key}`, "providers.a.client_key_file: requires `client_certificate_file` too"],
  [
    `client_certificate_file: ${files.cert}, client_key_file: ${files.strangerKey}`,
    "providers.a.client_key_file: is not the key of `client_certificate_file`",
  ],
  [
    `client_certificate_file: ${files.cert}, client_key_file: ${files.cert}`,
    "providers.a.client_key_file: has no private key in PEM",
  ],
])("%s is a fault of the configuration", (more, fault) => {
  expect(faultOf(`providers:\n${entry("a", 1, more)}`)).toContain(fault);
});

test("certificates need https", () => {
  const plain = `providers: { a: { kind: compatible, base_url: "http://127.0.0.1:1/v1", ca_file: ${files.ca} } }`;
  expect(faultOf(plain)).toContain("providers.a.ca_file: requires a `base_url` with https");
});
