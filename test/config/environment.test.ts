// Variables: every one that the gateway reads, its default, and what is said when its value makes no sense.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings, variables } from "../../src/config/environment.ts";
import { providerKinds } from "../../src/providers/index.ts";
import { load } from "./load.ts";

const folder = "/somewhere";
const read = (environment: Record<string, string>) => readSettings(environment, folder);

test("nothing set: the defaults of the table", () => {
  expect(read({})).toEqual({
    host: "127.0.0.1",
    port: 8080,
    dataFolder: "/somewhere/data",
    configFile: "/somewhere/turnpike.yaml",
    configNamed: false,
    secret: null,
    adminListener: null,
    previousSecret: null,
    adminKey: null,
    clientKey: null,
    databaseUrl: undefined,
    fetchAllow: [],
    publicUrl: null,
    corsOrigins: [],
    trustedProxies: [],
    videoResults: null,
    webhookSecret: null,
    ffmpeg: null,
    logLevel: "info",
    terminalFormat: "colored",
    openTelemetry: null,
    environment: {},
    workingFolder: "/somewhere",
    files: [],
  });
});

test("a secret may be in a file", () => {
  const place = mkdtempSync(join(tmpdir(), "turnpike-secrets-"));
  writeFileSync(join(place, "key"), "tp-key-in-a-file\n");
  expect(readSettings({ TURNPIKE_KEY_FILE: "key" }, place).clientKey).toBe("tp-key-in-a-file");
  const openai = { OPENAI_API_KEY_FILE: join(place, "key") };
  expect(readSettings(openai, "/").environment["OPENAI_API_KEY"]).toBe("tp-key-in-a-file");
  expect(() => read({ TURNPIKE_KEY_FILE: join(place, "none") })).toThrow("TURNPIKE_KEY_FILE cannot be read (ENOENT)");
  const both = { TURNPIKE_KEY: "tp-key-in-a-variable", TURNPIKE_KEY_FILE: join(place, "key") };
  expect(() => read(both)).toThrow("TURNPIKE_KEY and TURNPIKE_KEY_FILE are both set");
  rmSync(place, { recursive: true });
});

const rows: [string, string, object][] = [
  ["PORT", "0", { port: 0 }],
  ["PORT", " 65535 ", { port: 65_535 }],
  ["TURNPIKE_ADMIN_PORT", "9000", { adminListener: { host: "127.0.0.1", port: 9_000 } }],
  ["TURNPIKE_FFMPEG", "/bin/sh", { ffmpeg: "/bin/sh" }],
  ["TURNPIKE_TRUSTED_PROXIES", "10.0.0.0/8, ::1", { trustedProxies: ["10.0.0.0/8", "::1"] }],
  ["TURNPIKE_FFMPEG", "off", { ffmpeg: null }],
  ["LOG_LEVEL", "debug", { logLevel: "debug" }],
  ["LOG_LEVEL", "WARN", { logLevel: "warn" }],
  ["NO_COLOR", "1", { terminalFormat: "text" }],
  ["HOST", "0.0.0.0", { host: "0.0.0.0" }],
  ["HOST", "::1", { host: "::1" }],
  ["TURNPIKE_DATA", "/var/lib/turnpike", { dataFolder: "/var/lib/turnpike" }],
  ["TURNPIKE_DATA", "../elsewhere", { dataFolder: "/elsewhere" }],
  ["TURNPIKE_CONFIG", "other.yaml", { configFile: "/somewhere/other.yaml", configNamed: true }],
  ["TURNPIKE_SECRET", "sixteen letters!", { secret: "sixteen letters!" }],
  ["TURNPIKE_ADMIN_KEY", "admin-key", { adminKey: "admin-key" }],
  ["TURNPIKE_KEY", "client-key", { clientKey: "client-key" }],
  ["DATABASE_URL", "postgres://localhost/turnpike", { databaseUrl: "postgres://localhost/turnpike" }],
  ["TURNPIKE_FETCH_ALLOW", " store.test:9000 ,, 10.0.0.0/8 ", { fetchAllow: ["store.test:9000", "10.0.0.0/8"] }],
];

test.each(rows)("%s=%s", (name, value, expected) => {
  expect(read({ [name]: value })).toMatchObject(expected);
});

test("an empty variable is an unset one", () => {
  const { environment: _read, ...empty } = read(Object.fromEntries(variables.map(({ name }) => [name, " "])));
  const { environment: _unset, ...unset } = read({});
  expect(empty).toEqual(unset);
});

test.each(["-1", "65536", "80.5", "http", "0x50", "1e3", "８０"])("PORT=%s is refused in one sentence", (port) => {
  expect(() => read({ PORT: port })).toThrow(/^PORT must be an integer from 0 to 65535, not '.+'\.$/);
});

test("a program that is named must be there", () => {
  expect(() => read({ TURNPIKE_FFMPEG: "/nowhere/ffmpeg" })).toThrow(/^TURNPIKE_FFMPEG must be `off` or the path/);
});

test("every variable of the table is documented, and every one that is read is in the table", () => {
  const root = join(import.meta.dir, "..", "..");
  const documented = readFileSync(join(root, "docs/configuration.md"), "utf8");
  for (const { name } of variables) expect(documented).toContain(`\`${name}\``);
  const names = variables.map(({ name }) => name);
  const source = readFileSync(join(root, "src/config/environment.ts"), "utf8");
  const requested = [...source.matchAll(/text\("(\w+)"\)/g)].map(([, name]) => name ?? "");
  expect(requested.length).toBeGreaterThanOrEqual(8);
  expect(requested.filter((name) => !names.includes(name))).toEqual([]);
});

/** Accounts that are more than an address and a key have a suite of their own. */
const implied = providerKinds.flatMap(({ name, environment, account }) =>
  environment?.credential === undefined || account !== undefined
    ? []
    : [{ kind: name, credential: environment.credential, baseUrl: environment.baseUrl }],
);

test.each(implied)("$credential alone configures the provider $kind", ({ kind, credential, baseUrl }) => {
  const named = (environment: Record<string, string>) =>
    load("", environment).catalog.providers.find(({ entry }) => entry.name === kind);
  expect(named({ [credential]: "secret" })).toMatchObject({ entry: { name: kind, models: null } });
  expect(named({ [credential]: " " })).toBeUndefined();
  expect(named({ [baseUrl]: "http://127.0.0.1:9" })).toBeUndefined();
  for (const bad of ["ftp://x", "nonsense", "http://user:password@host"])
    expect(() => named({ [credential]: "secret", [baseUrl]: bad })).toThrow(
      `${baseUrl} must be an http or https URL without a user name.`,
    );
});
