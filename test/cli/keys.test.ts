// `turnpike keys` and `turnpike usage` beside a running gateway, which follows within a second or so.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { keysCommand } from "../../src/cli/keys.ts";
import { type Command, runCommand } from "../../src/cli/options.ts";
import { usageCommand } from "../../src/cli/usage.ts";
import { allowedMs, timed, until } from "../support/until.ts";
import { askSandbox, place } from "./command.ts";

const fileKey = "tp-key-of-the-file";
const here = place(`keys:\n  ci: { secret: "\${CI_KEY}" }\n`);
const environment = { TURNPIKE_KEY: "tp-default-key", CI_KEY: fileKey };
const gateway = here.start(environment);
const url = await gateway.url();
afterAll(async () => {
  await gateway.stop();
  here.remove();
});

/** Runs a command in this process; what it prints is not looked at. */
const inProcess = (command: Command, words: string[]) => runCommand(command, words, () => undefined);
const keys = (...words: string[]) => here.run(["keys", ...words], environment);
const statusOf = async (key: string, model?: string) => (await askSandbox(url, key, "hi", model)).status;

/** The table that a command prints, row by row, without its head. */
function table(out: string): string[][] {
  const [head = "", ...lines] = out.trimEnd().split("\n");
  const starts = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index);
  return lines.map((line) => starts.map((start, column) => line.slice(start, starts[column + 1]).trim()));
}

test("a key that is made works at once, is listed without its secret, and is dead soon after it was revoked", async () => {
  const made = await keys("create", "--name", "robot");
  expect(made).toMatchObject({ code: 0, err: "" });
  const [key = ""] = made.out.split("\n");
  expect(key).toMatch(/^tp-\w{43}$/);
  expect(await statusOf(key)).toBe(200);

  const listed = await keys("list");
  expect(listed.out).not.toContain(key);
  const row = table(listed.out).find(([name]) => name === "robot");
  expect(row).toEqual([
    "robot",
    expect.stringMatching(/^key_\w{24}$/),
    `${key.slice(0, 3)}…${key.slice(-4)}`,
    "live",
    new Date().toISOString().slice(0, 10),
    "",
    "store",
    "default",
  ]);

  expect(await keys("revoke", "robot")).toMatchObject({ code: 0, out: expect.stringContaining("'robot'") });
  const refused = await timed(() => until("the key is refused", async () => (await statusOf(key)) === 401));
  expect(refused.ms).toBeLessThan(allowedMs(1_600, refused));
  expect(table((await keys("list")).out).find(([name]) => name === "robot")?.[3]).toBe("revoked");
  expect((await keys("revoke", "robot")).err).toBe("turnpike: No active key has the name or ID 'robot'.\n");
});

test("the default key and the key of the file work, and both are listed", async () => {
  expect([await statusOf("tp-default-key"), await statusOf(fileKey)]).toEqual([200, 200]);
  expect(table((await keys("list")).out).map(([name]) => name)).toContain("default");
  expect(table((await keys("list")).out).find(([name]) => name === "ci")).toEqual([
    "ci",
    "file:ci",
    "…",
    "live",
    "",
    "",
    "file",
    "",
  ]);
  expect((await keys("list")).out).not.toContain(fileKey);
  expect((await keys("revoke", "ci")).err).toMatch(/^turnpike: Key 'ci' is declared in the configuration file\./);
});

test("a key is revoked by its id as well; its name can then be given anew, with another secret", async () => {
  const [first = ""] = (await keys("create", "again")).out.split("\n");
  const id =
    table((await keys("list")).out).find(([name, , , state]) => name === "again" && state === "live")?.[1] ?? "";
  expect((await keys("revoke", id)).code).toBe(0);
  const [second = ""] = (await keys("create", "again")).out.split("\n");
  expect(second).not.toBe(first);
  expect(await statusOf(second)).toBe(200);
  await until("the first key is refused", async () => (await statusOf(first)) === 401);
});

test("a key expires by itself, while the gateway runs", async () => {
  const dayMs = 86_400_000;
  const [key = ""] = (await keys("create", "short", "--expires-in-days", String(400 / dayMs))).out.split("\n");
  const refused = await timed(() => until("the key is refused", async () => (await statusOf(key)) === 401));
  expect(refused.ms).toBeLessThan(allowedMs(1_500, refused));
  const row = table((await keys("list")).out).find(([name]) => name === "short");
  expect(row?.slice(3, 6)).toEqual(["expired", expect.any(String), new Date().toISOString().slice(0, 10)]);
});

describe("wrong words are one sentence", () => {
  const rows: [string[], RegExp][] = [
    [[], /^Missing subcommand\. Usage: turnpike keys create\|list\|update\|disable\|enable\|rotate\|revoke\.$/],
    [["destroy"], /^Unknown command 'destroy'\. Use one of: create, list, update, disable, enable, rotate, revoke\.$/],
    [["list", "all"], /^Unexpected argument 'all'\.$/],
    [["create"], /^Missing --name/],
    [["create", "--name", "two words"], /^Invalid 'name'/],
    [["create", "--name", "x".repeat(65)], /^Invalid 'name'/],
    [["create", "--name", "a", "--expires-in-days", "soon"], /^--expires-in-days must be greater than 0/],
    [["create", "--name", "a", "--expires-in-days", "0"], /^--expires-in-days must be/],
    [["create", "--nmae", "a"], /--nmae/],
    [["revoke"], /^Missing key\. Usage: /],
  ];
  test.each(rows.map(([words, expected]) => ({ words, expected })))("keys $words", async ({ words, expected }) => {
    const thrown = await inProcess(keysCommand, words).catch((error: Error) => error);
    expect(String(thrown?.message)).toMatch(expected);
  });

  test.each([
    ["--by", "colour"],
    ["--since", "yesterday"],
    ["--until", "2026-13-01"],
    ["--nonsense", "x"],
  ])("usage %s %s", (option, value) => {
    expect(inProcess(usageCommand, [option ?? "", value ?? ""])).rejects.toThrow(option);
  });

  test("as a process: on standard error, with exit code 1", async () => {
    const taken = await keys("create", "--name", "default");
    expect(taken).toMatchObject({ code: 1, out: "" });
    expect(taken.err).toMatch(/^turnpike: A key with the name 'default' already exists\..*\n$/);
  });
});

describe("usage", () => {
  const usage = (...words: string[]) => here.run(["usage", ...words], environment);
  const columns =
    "requests  errors  open  input  cache read  cache write  output  reasoning  cost USD  price USD  unpriced  possible  units";

  test("counts requests, errors and tokens by model, key, provider and day", async () => {
    const [key = ""] = (await keys("create", "counted")).out.split("\n");
    const id = table((await keys("list")).out).find(([name]) => name === "counted")?.[1] ?? "";
    for (const model of ["sandbox/chat", "sandbox/chat", "sandbox/error"]) await statusOf(key, model);
    const day = new Date().toISOString().slice(0, 10);
    const groups: [string, string, number, number][] = [
      ["model", "sandbox/chat", 2, 0],
      ["model", "sandbox/error", 1, 1],
      ["key", "counted", 3, 1],
      ["provider", "sandbox", 3, 1],
      ["day", day, 3, 1],
    ];
    for (const [by, group, requests, errors] of groups) {
      const { out, code } = await usage("--by", by, "--key", id);
      expect({ code, head: out.split("\n")[0]?.replace(/^\w+ +/, "") }).toEqual({ code: 0, head: columns });
      const row = table(out).find(([name]) => name === group);
      expect(row?.slice(1, 4)).toEqual([String(requests), String(errors), "0"]);
    }
    const both = await usage("--by", "model,operation", "--key", id);
    expect(table(both.out).map((row) => row.slice(0, 3))).toEqual([
      ["sandbox/chat", "chat", "2"],
      ["sandbox/error", "chat", "1"],
    ]);
    const json = JSON.parse((await usage("--by", "key,model", "--key", id, "--json")).out);
    expect(json[0]).toMatchObject({ key: id, model: "sandbox/chat", name: "counted sandbox/chat", requests: 2 });
    const [, , , , input, , , output, , cost, price, unpriced] = table((await usage("--key", id)).out)[0] ?? [];
    expect(Number(input)).toBeGreaterThan(0);
    expect(Number(output)).toBeGreaterThan(0);
    expect([cost, price, unpriced]).toEqual(["0", "0", "0"]);
  });

  test("days bound it, and nothing is an empty table", async () => {
    const { out } = await usage("--since", "2999-01-01");
    expect(out.trimEnd().split("\n")).toHaveLength(1);
    expect(table((await usage("--until", "2000-01-01")).out)).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect(table((await usage("--since", today, "--until", today)).out).length).toBeGreaterThan(0);
    expect(table((await usage("--since", "2000-01-01")).out).length).toBeGreaterThan(0);
  });

  test("without a ledger it is an empty table, and no folder is made", async () => {
    const other = place();
    for (const by of ["model", "key"]) {
      const { code, out } = await other.run(["usage", "--by", by]);
      expect([code, out.trimEnd().split("\n").length]).toEqual([0, 1]);
    }
    expect(existsSync(join(other.folder, "data"))).toBe(false);
    other.remove();
  });
});

describe("output for programs", () => {
  test("keys are printed as JSON", async () => {
    const made = JSON.parse((await keys("create", "machine", "--json")).out);
    expect(made).toEqual({ id: expect.stringMatching(/^key_/), name: "machine", key: expect.stringMatching(/^tp-/) });
    const listed = JSON.parse((await keys("list", "--json")).out);
    expect(listed.find(({ id }: { id: string }) => id === made.id)).toMatchObject({
      name: "machine",
      state: "live",
      expires: null,
      source: "store",
    });
    expect(JSON.stringify(listed)).not.toContain(made.key);
  });

  test("usage is printed as JSON, with the name of each key beside its id", async () => {
    const { out } = await here.run(["usage", "--by", "key", "--json"], environment);
    const row = JSON.parse(out).find(({ name }: { name: string }) => name === "default");
    expect(row).toMatchObject({ group: expect.stringMatching(/^key_/), requests: expect.any(Number) });
  });
});
