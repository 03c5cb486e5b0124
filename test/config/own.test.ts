// Providers that are the gateway itself: refused in the file, ignored with a warning in the environment.
import { describe, expect, test } from "bun:test";
import { hostname, networkInterfaces } from "node:os";
import { ownAddress } from "../../src/config/self-reference.ts";
import { adminKey, clientKey, gateway } from "../support/gateway.ts";

/** A port that is free now. */
function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}

const provider = (fields: string): string => `providers:\n  self: { kind: compatible, models: [m], ${fields} }\n`;

describe("an address in the file", () => {
  test.each(["127.0.0.1", "localhost", "[::1]", "0.0.0.0"])(
    "on %s is refused with the line and the field",
    async (host) => {
      const port = freePort();
      const yaml = provider(`base_url: "http://${host}:${port}/v1", credential: some-credential`);
      await expect(gateway({ yaml, environment: { PORT: String(port) } })).rejects.toThrow(
        "turnpike.yaml line 2, providers.self.base_url: this is the address of this gateway.",
      );
    },
  );

  test("that clients reach the gateway at is refused", async () => {
    const yaml = provider(`base_url: "https://gateway.example/ai/v1", credential: some-credential`);
    const environment = { TURNPIKE_PUBLIC_URL: "https://gateway.example/ai" };
    await expect(gateway({ yaml, environment })).rejects.toThrow(
      "providers.self.base_url: this is the address of this gateway",
    );
  });
});

describe("a credential in the file", () => {
  const address = `base_url: "http://127.0.0.1:1/v1"`;
  const keys = `keys: { ci: { secret: tp-key-of-the-file } }\n`;
  test.each([clientKey, adminKey, "tp-key-of-the-file"])("that is the key %s is refused", async (key) => {
    const yaml = `${provider(`${address}, credential: ${key}`)}${keys}`;
    await expect(gateway({ yaml })).rejects.toThrow(
      "turnpike.yaml line 2, providers.self.credential: this is a key of this gateway.",
    );
  });
});

describe("variables that are set for clients of the gateway", () => {
  const ignores = async (environment: Record<string, string>, names: RegExp) => {
    const running = await gateway({ environment });
    const models = await fetch(`${running.url}/v1/models`, { headers: { authorization: `Bearer ${clientKey}` } });
    const { data } = (await models.json()) as { data: { id: string }[] };
    expect(data.every(({ id }) => id.startsWith("sandbox/"))).toBe(true);
    const warnings = running.log.map((line) => JSON.parse(line)).filter(({ event }) => event === "provider_ignored");
    expect(warnings).toMatchObject([{ level: "warn", warning: expect.stringMatching(names) }]);
    await running.stop();
  };

  test("OPENAI_BASE_URL at the gateway's own port configures nobody", async () => {
    const PORT = String(freePort());
    const environment = { PORT, OPENAI_BASE_URL: `http://localhost:${PORT}/v1`, OPENAI_API_KEY: "sk-something" };
    await ignores(environment, /^OPENAI_BASE_URL leads to this gateway/);
  });

  test("a client key of the gateway is not sent to a provider", async () => {
    await ignores({ ANTHROPIC_API_KEY: clientKey }, /^ANTHROPIC_API_KEY leads to this gateway/);
  });

  test("an address alone, without a credential, needs no warning", async () => {
    const PORT = String(freePort());
    const running = await gateway({ environment: { PORT, OPENAI_BASE_URL: `http://localhost:${PORT}/v1` } });
    expect(running.log.filter((line) => line.includes("provider_ignored"))).toEqual([]);
    await running.stop();
  });
});

test("other addresses are not the gateway's", () => {
  const listening = { host: "127.0.0.1", port: 8080, publicUrl: "https://gateway.example/ai" };
  const isOwn = ownAddress(listening);
  for (const url of [
    "http://127.0.0.1:8081/v1",
    "http://127.0.0.2:8080/v1",
    "http://model.example:8080/v1",
    "https://gateway.example/other",
    "https://gateway.example/aim/v1",
    "https://api.gateway.example/ai",
    "https://localhost/v1",
    "nonsense",
  ])
    expect({ url, isOwn: isOwn(url) }).toEqual({ url, isOwn: false });
  const [address] = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const open = ownAddress({ ...listening, host: "0.0.0.0", publicUrl: null });
  for (const host of [hostname(), "localhost", address?.family === "IPv6" ? `[${address.address}]` : address?.address])
    expect({ host, isOwn: open(`http://${host}:8080/v1`) }).toEqual({ host, isOwn: true });
});
