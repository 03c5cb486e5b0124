// The words of the command line: help, version, and what is refused, as a process sees it.
import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { place } from "./command.ts";

const empty = place();
afterAll(() => empty.remove());

test.each([["--version"], ["-v"], ["version"]])("%s prints the version", async (word) => {
  expect(await empty.run([word])).toEqual({ code: 0, out: `${version}\n`, err: "" });
});

test.each([[["--help"]], [["-h"]], [["help"]]])("%p lists every command", async (words) => {
  const { code, out, err } = await empty.run(words);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const command of ["turnpike keys create", "turnpike keys list", "turnpike usage", "turnpike webhooks secret"])
    expect(out).toContain(command);
});

test.each([
  [["keys", "create", "--help"], "--expires-in-days N"],
  [["help", "keys", "create"], "--expires-in-days N"],
  [["keys", "--help"], "turnpike keys revoke NAME-OR-ID"],
  [["usage", "-h"], "--until YYYY-MM-DD"],
  [["webhooks", "secret", "--help"], "turnpike webhooks secret"],
] as [string[], string][])("%p prints help and does nothing", async (words, expected) => {
  const { code, out, err } = await empty.run(words);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(expected);
});

test.each([
  [
    ["destroy"],
    /^turnpike: Unknown command 'destroy'\. Use one of: serve, keys, projects, prices, requests, end-users, users, usage,/,
  ],
  [["keys"], /^turnpike: Missing subcommand\./],
  [["keys", "list", "--jsno"], /^turnpike: .*--jsno/],
  [["serve", "--port", "80"], /^turnpike: .*--port/],
  [
    ["usage", "--by", "colour"],
    /^turnpike: --by must be one of, or several separated by commas: model, key, day, hour, /,
  ],
  [["usage", "--by", "model,model"], /^turnpike: --by must be one of/],
  [["usage", "--by", "model,"], /^turnpike: --by must be one of/],
  [["usage", "--key"], /^turnpike: Option '--key' needs a value\.$/m],
  [["usage", "--key", "--json"], /^turnpike: Option '--key' needs a value\.$/m],
  [["usage", "--json=yes"], /^turnpike: Option '--json' does not accept a value\.$/m],
  [["usage", "--sinse", "2026-01-01"], /^turnpike: Unknown option '--sinse'\. Did you mean '--since'\?$/m],
  [
    ["keys", "create", "--expires", "3"],
    /^turnpike: Unknown option '--expires'\. Did you mean '--expires-in-days'\?$/m,
  ],
  [["usage", "--colour"], /^turnpike: Unknown option '--colour'\. Add --help for the options\.$/m],
] as [string[], RegExp][])("%p is refused with exit code 2", async (words, expected) => {
  const { code, out, err } = await empty.run(words);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(expected);
});

test("commands in a folder without an installation say so, and make none", async () => {
  for (const words of [
    ["keys", "list"],
    ["keys", "create", "a"],
    ["keys", "revoke", "a"],
    ["webhooks", "secret"],
  ]) {
    const { code, err } = await empty.run(words);
    expect({ words, code }).toEqual({ words, code: 1 });
    expect(err).toMatch(
      /^turnpike: The data folder .*data does not exist\. Start the gateway first, or set TURNPIKE_DATA/,
    );
  }
  expect(existsSync(join(empty.folder, "data"))).toBe(false);
}, 60_000);
