// `turnpike connect`: what is printed works as pasted, and what is written leaves everything else and can be undone.
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { clients } from "../../src/cli/clients.ts";
import { parseSettings } from "../../src/cli/settings-file.ts";
import { type Place, place } from "./command.ts";

let here: Place;
beforeEach(() => {
  here = place();
});
afterEach(() => here.remove());

const home = () => ({ HOME: here.folder, TURNPIKE_PUBLIC_URL: "http://gateway.example/base" });
const connect = (...words: string[]) => here.run(["connect", ...words], home());
const file = (...parts: string[]) => join(here.folder, ...parts);

function prepare(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return text;
}

test("without a client, all are listed", async () => {
  const { code, out } = await connect("--json");
  expect(code).toBe(0);
  expect(JSON.parse(out).map(({ name }: { name: string }) => name)).toEqual(clients.map(({ name }) => name));
});

test("each client's settings have the address, the key and the model, and nothing is written", async () => {
  const words = ["--key", "tp-canary-of-connect", "--model", "my-model"];
  const ended = await Promise.all(clients.map(async ({ name }) => ({ name, ...(await connect(name, ...words)) })));
  for (const { name, code, out, err } of ended) {
    expect({ name, code, err }).toEqual({ name, code: 0, err: "" });
    expect(out).toContain("http://gateway.example/base");
    // Codex is given the name of a variable, and Open WebUI lists the models by itself.
    if (name !== "codex") expect(out).toContain("tp-canary-of-connect");
    if (name !== "open-webui") expect(out).toContain("my-model");
  }
  // The runtime's own cache, in the home folder.
  expect(readdirSync(here.folder).filter((name) => name !== ".bun")).toEqual([]);
}, 100_000);

test("an unknown client, and one without a file, are refused with a suggestion", async () => {
  expect(await connect("claude-cod")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Did you mean 'claude-code'?"),
  });
  expect(await connect("curl", "--write")).toMatchObject({ code: 2, err: expect.stringContaining("no settings file") });
  expect(await connect("claude-code", "--write")).toMatchObject({
    code: 2,
    err: expect.stringContaining("turnpike keys create --name claude-code"),
  });
});

const withFiles = clients.filter(({ files }) => files !== undefined).map(({ name }) => name);

describe.each(withFiles)("%s", (name) => {
  const connection = { url: "http://gateway.example/base", key: "tp-a-client-key", model: "my-model" };
  const filesOf = () => {
    const folders = { home: here.folder, working: here.folder, environment: {} };
    return clients.find((client) => client.name === name)?.files?.(connection, folders) ?? [];
  };

  test("a new file is private, and the undo removes it", async () => {
    expect(await connect(name, "--write", "--key", connection.key, "--model", connection.model)).toMatchObject({
      code: 0,
    });
    for (const { path, format } of filesOf()) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(JSON.stringify(parseSettings(format, readFileSync(path, "utf8")))).not.toBe("{}");
    }
    expect(await connect(name, "--undo")).toMatchObject({ code: 0, err: "" });
    for (const { path } of filesOf()) {
      expect(existsSync(path)).toBe(false);
      expect(readdirSync(dirname(path)).filter((each) => each.includes("turnpike"))).toEqual([]);
    }
  });

  const contents = {
    json: '{"theme":   "dark", "env": {"MINE": "1"}, "provider": {"mine": {}}}',
    yaml: "# mine\nname: Mine\nversion: 1.0.0\nschema: v1\nmodels:\n  - { name: Mine, model: x }\n",
    toml: '# mine\nmodel = "mine"\n\n[tools]\nweb = true\n',
    env: "# mine\nMINE=1\nGEMINI_API_KEY=mine\n",
  };

  test("a file with settings of its own keeps them and its mode; written twice, the undo restores every byte", async () => {
    for (const { path, format } of filesOf()) {
      prepare(path, contents[format]);
      chmodSync(path, 0o640);
    }
    for (const model of ["first-model", connection.model])
      expect(await connect(name, "--write", "--key", connection.key, "--model", model)).toMatchObject({
        code: 0,
        err: "",
      });
    for (const { path, format, settings } of filesOf()) {
      const text = readFileSync(path, "utf8");
      expect(statSync(path).mode & 0o777).toBe(0o640);
      expect(readFileSync(`${path}.turnpike-backup`, "utf8")).toBe(contents[format]);
      const root = parseSettings(format, text);
      for (const [, value] of settings) expect(JSON.stringify(root)).toContain(JSON.stringify(value).slice(1, -1));
      expect(text).toContain(format === "json" ? "dark" : "# mine");
    }
    expect((await connect(name, "--undo")).out).toContain("Restored");
    for (const { path, format } of filesOf()) expect(readFileSync(path, "utf8")).toBe(contents[format]);
  });
});

test("a file that the client changed since loses only these settings", async () => {
  const path = file(".claude", "settings.json");
  prepare(path, '{"env": {"ANTHROPIC_MODEL": "mine"}}');
  await connect("claude-code", "--write", "--key", "tp-a-client-key");
  const written = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...written, permissions: { allow: ["later"] } }));
  expect((await connect("claude-code", "--undo")).out).toContain("only these settings");
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    env: { ANTHROPIC_MODEL: "mine" },
    permissions: { allow: ["later"] },
  });
  expect((await connect("claude-code", "--undo")).out).toContain("Nothing to undo");
});

test("a file that cannot be read is not touched, and neither is a link to one replaced", async () => {
  const path = file(".claude", "settings.json");
  const broken = prepare(path, "{ // with a comment\n}");
  const refused = await connect("claude-code", "--write", "--key", "tp-a-client-key");
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("was not changed") });
  expect(readFileSync(path, "utf8")).toBe(broken);
  expect(readdirSync(dirname(path))).toEqual(["settings.json"]);

  const target = file("dotfiles", "config.toml");
  prepare(target, 'model = "mine"\n');
  mkdirSync(file(".codex"));
  symlinkSync(target, file(".codex", "config.toml"));
  expect(await connect("codex", "--write")).toMatchObject({ code: 0 });
  expect(readFileSync(target, "utf8")).toContain("[model_providers.turnpike]");
  await connect("codex", "--undo");
  expect(readFileSync(target, "utf8")).toBe('model = "mine"\n');
});

describe("what is printed works as pasted", () => {
  const there = place();
  afterAll(() => there.remove());

  test("by a shell, and by the three SDKs", async () => {
    const gateway = there.start({ TURNPIKE_KEY: "tp-a-pasted-client-key" });
    const { out } = await there.run(["connect", "curl", "--url", await gateway.url()]);
    const env = { PATH: process.env["PATH"] ?? "", TURNPIKE_KEY: "tp-a-pasted-client-key" };
    const pasted = Bun.spawn(["sh", "-c", out], { stdout: "pipe", stderr: "ignore", env });
    expect(JSON.parse(await pasted.stdout.text())).toMatchObject({ object: "chat.completion" });

    const repository = join(import.meta.dir, "..", "..");
    for (const name of ["openai-node", "anthropic-node", "google-node"]) {
      const { out: code } = await there.run(["connect", name, "--url", await gateway.url()]);
      const program = code.replace(/^# .*$/m, "").replace(/^await /m, "const answer = await ");
      const words = [process.execPath, "-e", `${program}\nconsole.log(JSON.stringify(answer));`];
      const child = Bun.spawn(words, { cwd: repository, env, stdout: "pipe", stderr: "pipe" });
      expect({ name, out: await child.stdout.text() }).toEqual({ name, out: expect.stringContaining("Hello") });
    }
    await gateway.stop();
  });
});
