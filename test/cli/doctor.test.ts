// `turnpike doctor`: what it finds on this machine and at the providers, as a process sees it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckResult } from "../../src/cli/check.ts";
import { checkClock, checkDataFolder, checkDescriptors } from "../../src/cli/machine-checks.ts";
import { readSettings } from "../../src/config/environment.ts";
import { defaultLimits } from "../../src/config/limits.ts";
import { certificateFor } from "../providers/safe-fetch-certificate.ts";
import { adminKey, gateway } from "../support/gateway.ts";
import { closedAddress, type Upstream, upstream } from "../support/upstream.ts";
import { askSandbox, type Place, place } from "./command.ts";

interface Report {
  readonly ok: boolean;
  readonly contacts: readonly string[];
  readonly checks: readonly CheckResult[];
}

async function report(here: Place, environment: Record<string, string> = {}, ...words: string[]) {
  const { code, out, err } = await here.run(["doctor", "--json", ...words], environment);
  expect(err).toBe("");
  const found: Report = JSON.parse(out);
  return { code, ...found, of: (name: string) => found.checks.filter((check) => check.name === name) };
}

describe("providers", () => {
  let up: Upstream;
  beforeAll(async () => {
    up = await upstream();
    up.on("GET /good/models", { json: { data: [{ id: "listed" }, { id: "other" }] } });
    up.on("GET /refused/models", { status: 401, json: { error: { message: "bad key sk-canary-12345" } } });
    up.on("GET /none/models", { status: 404, json: { error: { message: "no such path" } } });
    up.on("GET /broken/models", { status: 500, json: { error: { message: "broken" } } });
  });
  const unsigned = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: certificateFor({ name: "localhost" }),
    fetch: () => Response.json({ data: [{ id: "intercepted" }] }),
  });
  afterAll(async () => {
    await up.stop();
    await unsigned.stop(true);
  });

  test("each is asked for its model list with its credential, and the finding says what to do", async () => {
    const here = place(`providers:
  good: { kind: compatible, base_url: "${up.url}/good", credential: sk-canary-12345 }
  refused: { kind: compatible, base_url: "${up.url}/refused", credential: sk-canary-12345 }
  none: { kind: compatible, base_url: "${up.url}/none" }
  broken: { kind: compatible, base_url: "${up.url}/broken" }
  closed: { kind: compatible, base_url: "${closedAddress()}/v1" }
  nowhere: { kind: compatible, base_url: "http://nowhere.invalid/v1" }
  unsigned: { kind: compatible, base_url: "https://localhost:${unsigned.port}/v1" }
models:
  smart: { candidates: [{ provider: good, model: listed }, { provider: good, model: absent }] }
`);
    const { code, ok, of, contacts, checks } = await report(here);
    here.remove();
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    expect(of("provider good")).toEqual([
      {
        name: "provider good",
        status: "warning",
        detail: "Its list does not have these models of the routes: absent.",
        action: "Check the names with `turnpike models`.",
      },
    ]);
    expect(of("provider refused")).toMatchObject([
      {
        status: "failed",
        detail: "The provider refuses the credential.",
        action: expect.stringContaining("credential"),
      },
    ]);
    expect(of("provider none")).toMatchObject([
      { status: "warning", detail: expect.stringContaining("no model list") },
    ]);
    expect(of("provider broken")).toMatchObject([{ status: "failed" }]);
    expect(of("provider closed")[0]?.detail).toMatch(/refused \(/);
    expect(of("provider nowhere")[0]?.detail).toMatch(/does not resolve \(/);
    expect(of("provider unsigned")[0]?.detail).toMatch(/certificate is not valid \(/);
    expect(contacts).toHaveLength(7);
    expect(contacts[0]).toBe(`provider good (${new URL(up.url).host})`);
    expect(JSON.stringify(checks)).not.toContain("canary");
    expect(up.requests.map(({ path }) => path).sort()).toEqual(
      ["/broken/models", "/good/models", "/none/models", "/refused/models"].sort(),
    );
    expect(up.requests.find(({ path }) => path === "/good/models")?.headers.get("authorization")).toBe(
      "Bearer sk-canary-12345",
    );
  });

  test("with --offline none is asked, and nothing is created", async () => {
    up.clear();
    const here = place(`providers: { a: { kind: compatible, base_url: "${up.url}/good" } }`);
    const { code, contacts, checks } = await report(here, {}, "--offline");
    expect({ code, contacts, requested: up.requests.length }).toEqual({ code: 0, contacts: [], requested: 0 });
    expect(checks.map(({ name }) => name)).toEqual(["descriptors", "data folder", "secret", "clock", "configuration"]);
    expect(existsSync(join(here.folder, "data"))).toBe(false);
    here.remove();
  });
});

test("every fault of the configuration is a finding, and providers without faults are still checked", async () => {
  const here = place(`providers:
  a: { kind: compatibl, base_url: "http://127.0.0.1:9/v1" }
  b: { kind: compatible, base_url: "${closedAddress()}/v1" }
mdels: {}
`);
  const { code, of } = await report(here);
  here.remove();
  expect(code).toBe(1);
  expect(of("configuration").map(({ detail }) => detail)).toEqual([
    "turnpike.yaml line 4, mdels: unknown field. Did you mean 'models'?",
    expect.stringContaining("unknown provider kind 'compatibl'. Did you mean 'compatible'?"),
  ]);
  expect(of("provider b")).toMatchObject([{ status: "failed" }]);
});

test("a bucket that cannot be used is a warning, because videos still come from their providers", async () => {
  const endpoint = closedAddress();
  const here = place(`videos:
  results:
    bucket: { name: films, endpoint: "${endpoint}", access_key_id: canary-id, secret_access_key: canary-secret }
`);
  const { code, of, contacts, checks } = await report(here);
  here.remove();
  expect({ code, contacts }).toEqual({ code: 0, contacts: ["the bucket for videos"] });
  expect(of("video results")).toMatchObject([
    { status: "warning", detail: "The endpoint of the bucket cannot be reached." },
  ]);
  expect(JSON.stringify(checks)).not.toContain("canary");
});

test("a secret that is not the one of the stored data is a failure, while the gateway runs with the right one", async () => {
  const here = place();
  const right = { TURNPIKE_SECRET: "the first secret of this installation", TURNPIKE_KEY: "tp-a-given-client-key" };
  const gateway = here.start(right);
  expect((await askSandbox(await gateway.url(), right.TURNPIKE_KEY)).status).toBe(200);
  const good = await report(here, right);
  expect(good.of("secret")).toMatchObject([{ status: "ok", detail: "The secret is the one of the stored data." }]);
  expect(good.of("data folder")).toMatchObject([{ status: "ok" }]);
  const bad = await report(here, { TURNPIKE_SECRET: "another secret of sixteen characters" });
  expect(bad.code).toBe(1);
  expect(bad.of("secret")).toMatchObject([{ status: "failed", action: expect.stringContaining("TURNPIKE_SECRET") }]);
  expect(await gateway.stop()).toBe(0);
  // A request that is in the ledger with a later time than the clock's: the clock was set back.
  const settings = readSettings({ TURNPIKE_DATA: join(here.folder, "data") }, here.folder);
  expect(checkClock(settings, Date.now())).toMatchObject({ status: "ok" });
  expect(checkClock(settings, Date.now() - 3_600_000)).toMatchObject({ status: "warning" });
  expect(checkClock(settings, 0)).toMatchObject({ status: "failed" });
  here.remove();
});

test("open files: enough, too few, unreadable", () => {
  const limits = { ...defaultLimits, maxConcurrentRequests: 1_000 };
  expect(checkDescriptors(2_512, limits)).toMatchObject({ status: "ok" });
  expect(checkDescriptors(2_511, limits)).toMatchObject({
    status: "warning",
    action: expect.stringContaining("ulimit -n 2512"),
  });
  expect(checkDescriptors(null, limits)).toMatchObject({ status: "warning" });
});

test("the data folder: private, open to others, missing, or a file", () => {
  const here = place();
  const folder = join(here.folder, "data");
  expect(checkDataFolder(folder)).toMatchObject({ status: "warning", detail: expect.stringContaining("not exist") });
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  expect(checkDataFolder(folder)).toMatchObject({ status: "warning", action: expect.stringContaining("chmod") });
  chmodSync(folder, 0o700);
  expect(checkDataFolder(folder)).toMatchObject({ status: "ok" });
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "");
  expect(checkDataFolder(folder)).toMatchObject({ status: "failed", action: expect.stringContaining("TURNPIKE_DATA") });
  here.remove();
});

test("the text has a line for each check, what is contacted, and a summary", async () => {
  const here = place();
  const { code, out } = await here.run(["doctor"]);
  here.remove();
  expect(code).toBe(0);
  expect(out).toStartWith("Nothing has to be contacted.\n");
  expect(out).toMatch(/^ok {2,}configuration {2,}\S/m);
  expect(out).toMatch(/\n\d+ ok, \d+ with a warning, 0 failed\n$/);
});

test.skipIf(process.env["TURNPIKE_TEST_POSTGRES"] === undefined)(
  "a shared database: reached, and unreachable",
  async () => {
    const here = place();
    const url = process.env["TURNPIKE_TEST_POSTGRES"] ?? "";
    const secret = { TURNPIKE_SECRET: "the secret of doctor's database" };
    const { of, contacts } = await report(here, { DATABASE_URL: url, ...secret });
    expect(of("database")[0]?.status).not.toBe("failed");
    expect(contacts).toEqual([expect.stringMatching(/^the database \(/)]);
    const gone = await report(here, { DATABASE_URL: "postgres://a:canary@127.0.0.1:1/x", ...secret });
    here.remove();
    expect(gone.of("database")).toMatchObject([
      { status: "failed", detail: expect.stringContaining("cannot be opened") },
    ]);
    expect(JSON.stringify(gone)).not.toContain("canary");
  },
);

describe("several credentials, and a running gateway", () => {
  test("each credential is tested; the state of the running gateway is shown", async () => {
    const up = await upstream();
    up.on("GET /v1/models", async (line) => {
      const isGood = line.request.headers.get("authorization") === "Bearer good-canary";
      const refusal = { status: 403, json: { error: { message: "no access for good-canary or bad-canary" } } };
      await line.play(isGood ? { json: { data: [{ id: "m" }] } } : refusal);
    });
    up.on("POST /v1/chat/completions", { status: 429, json: {}, headers: { "retry-after": "60" } });
    const yaml = `providers:
  pair:
    kind: compatible
    base_url: "${up.url}/v1"
    credentials: [{ name: one, credential: good-canary }, { name: two, credential: bad-canary }]
`;
    const running = await gateway({ yaml });
    const here = place(yaml);
    const environment = { PORT: new URL(running.url).port, TURNPIKE_ADMIN_KEY: adminKey };
    try {
      const tested = await here.run(["providers", "test", "pair", "--json"], environment);
      expect(tested.code).toBe(1);
      expect(JSON.parse(tested.out)).toMatchObject([
        {
          provider: "pair",
          credentials: [
            { credential: "one", ok: true, status: 200, models: 1, error: null },
            { credential: "two", ok: false, status: 403, models: null, error: { code: "upstream_credentials" } },
          ],
        },
      ]);
      expect(tested.out).not.toContain("canary");
      expect(await here.run(["providers", "test", "other"], environment)).toMatchObject({
        code: 1,
        err: expect.stringContaining("There is no provider 'other'."),
      });
      const body = JSON.stringify({ model: "pair/m", messages: [{ role: "user", content: "hi" }] });
      const headers = { authorization: `Bearer ${running.key}`, "content-type": "application/json" };
      await fetch(`${running.url}/v1/chat/completions`, { method: "POST", headers, body });
      const status = await here.run(["providers", "status", "pair"], environment);
      expect(status.out).toMatch(/pair +one +rate_limited +\d{4}-.*\n/);
      const { of } = await report(here, environment);
      expect(of("provider pair (one)")).toMatchObject([{ status: "ok" }]);
      expect(of("provider pair (two)")).toMatchObject([{ status: "failed" }]);
      expect(of("provider state")).toMatchObject([
        { status: "warning", detail: expect.stringContaining("pair (one) rate_limited") },
      ]);
    } finally {
      here.remove();
      await running.stop();
      await up.stop();
    }
  });
});
