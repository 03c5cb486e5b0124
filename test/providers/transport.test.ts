// What a request that never reached its provider means: nothing was sent, or the gateway itself has no connection left.
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { GatewayError } from "../../src/canonical/error.ts";
import { createSend, type Send, transportError } from "../../src/providers/upstream.ts";
import { type Script, upstream } from "../support/upstream.ts";
import { type Certificate, certificateFor } from "./safe-fetch-certificate.ts";

const servers: { stop(force: boolean): unknown }[] = [];
afterAll(() => {
  for (const server of servers) server.stop(true);
});

const never = new AbortController().signal;

async function failureOf(url: string, tls: Record<string, unknown> = {}): Promise<unknown> {
  try {
    await fetch(url, { method: "POST", body: "{}", tls });
    return null;
  } catch (thrown) {
    const error = transportError(thrown, never);
    return error instanceof GatewayError ? { kind: error.kind, retry: error.retry, code: error.code } : error;
  }
}

function secure({ key, cert }: Certificate): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", tls: { key, cert }, fetch: () => new Response("ok") });
  servers.push(server);
  return `https://127.0.0.1:${server.port}/`;
}

/** Answers the first bytes with these. */
function raw(bytes: Uint8Array): string {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end(bytes) },
  });
  servers.push(server);
  return `https://127.0.0.1:${server.port}/`;
}

const unreachable = { kind: "upstream_unreachable", retry: "next", code: "upstream_unreachable" };
const here = { ipv4: "127.0.0.1" };

describe("nothing was sent where", () => {
  test("the certificate is not valid yet", async () => {
    const certificate = certificateFor(here, { from: "480101000000Z", to: "491231235959Z" });
    expect(await failureOf(secure(certificate), { ca: certificate.cert })).toEqual(unreachable);
  });

  test("the certificate has expired", async () => {
    const certificate = certificateFor(here, { from: "100101000000Z", to: "110101000000Z" });
    expect(await failureOf(secure(certificate), { ca: certificate.cert })).toEqual(unreachable);
  });

  test("the certificate is for another name", async () => {
    const certificate = certificateFor({ name: "other.example" });
    expect(await failureOf(secure(certificate), { ca: certificate.cert })).toEqual(unreachable);
  });

  test("nobody has signed the certificate", async () => {
    expect(await failureOf(secure(certificateFor(here)))).toEqual(unreachable);
  });

  test("the TLS port speaks plain HTTP", async () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
    servers.push(server);
    expect(await failureOf(`https://127.0.0.1:${server.port}/`)).toEqual(unreachable);
  });

  // RFC 8446 6: handshake_failure, protocol_version, internal_error, unrecognized_name, certificate_required.
  test.each([40, 70, 80, 112, 116])("the server answers the handshake with TLS alert %d", async (alert) => {
    expect(await failureOf(raw(new Uint8Array([21, 3, 3, 0, 2, 2, alert])))).toEqual(unreachable);
  });
});

test("a process without descriptors is overloaded itself, whatever the runtime calls it", async () => {
  const script = join(import.meta.dir, "descriptors-exhausted.ts");
  const child = Bun.spawn(["sh", "-c", `ulimit -n 128 && exec "${process.execPath}" "${script}"`], { stdout: "pipe" });
  const printed = await new Response(child.stdout).text();
  const overloaded = { kind: "overloaded", retry: "never" };
  expect(JSON.parse(printed)).toEqual({
    address: overloaded,
    localhost: overloaded,
    name: overloaded,
    afterwards: { kind: "upstream_unreachable", retry: "next" },
  });
}, 60_000);

test("connections that one gateway has used are not taken for another's", async () => {
  const up = await upstream();
  servers.push(up);
  const [mine, another] = [createSend(), createSend()];
  const ask = (send: Send) => send({ method: "POST", url: `${up.url}/v1`, headers: {}, body: "{}", signal: never });
  const lost: Script = (line) => line.reset();
  const answered: Script = { json: {} };
  up.next(answered, lost);
  await (await ask(mine)).text();
  await expect(ask(another)).rejects.toMatchObject({ kind: "upstream_reset" });
  expect(up.requests.length).toBe(2);
  up.next(answered, lost, answered);
  await (await ask(mine)).text();
  expect((await ask(mine)).status).toBe(200);
  expect(up.requests.length).toBe(5);
});
