// The settings of clients, as the console and scripts read them.
import { expect, test } from "bun:test";
import { clients } from "../../src/cli/clients.ts";
import { admin, dataIn, errorIn } from "./setting.ts";

const { ask, running, token } = await admin();

interface Block {
  file: string | null;
  text: string;
  text_with_key: string;
}

const blocksOf = (row: Record<string, unknown> | undefined) => (row?.["blocks"] ?? []) as Block[];

test("has every client of the command line, with the address of this request and a place for the key", async () => {
  const rows = dataIn(await ask("GET clients?limit=100&model=my-model"));
  expect(rows.map(({ id }) => String(id))).toEqual(clients.map(({ name }) => name));
  for (const row of rows) {
    const blocks = blocksOf(row);
    const all = blocks.map(({ text }) => text).join("\n");
    const keyed = blocks.map(({ text_with_key: text }) => text).join("\n");
    expect({ id: row["id"], has: all.includes(running.url) }).toEqual({ id: row["id"], has: true });
    // Open WebUI lists the models by itself, and Codex is given the name of a variable.
    if (row["id"] !== "open-webui") expect(all).toContain("my-model");
    if (row["id"] !== "codex") expect(keyed).toContain("tp-your-key");
  }
  expect(blocksOf(rows.find(({ id }) => id === "claude-code"))[0]?.file).toBe("~/.claude/settings.json");
});

test("the address can be given, is a URL without quotes, and pages follow each other", async () => {
  const first = await ask("GET clients?limit=1&url=https://gateway.example/base/");
  expect(blocksOf(dataIn(first)[0])[0]?.text).toContain("https://gateway.example/base/v1/");
  const next = await ask(`GET clients?limit=1&url=https://gateway.example/base/&cursor=${first.body["next_cursor"]}`);
  expect(dataIn(next).map(({ id }) => id)).toEqual([clients[1]?.name]);
  const refused = await ask(`GET clients?url=${encodeURIComponent("https://x.example/'$(id)'")}`);
  expect(errorIn(refused)).toMatchObject({ status: 400, param: "url" });
  expect((await ask("GET clients", undefined, { key: await token("usage:read") })).status).toBe(403);
});
