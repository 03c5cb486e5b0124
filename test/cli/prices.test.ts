// `turnpike prices list`: rows of the file and the shipped ones, as columns and as JSON.
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../../src/cli/usage.ts";
import { adminOf } from "../admin/setting.ts";
import { gateway } from "../support/gateway.ts";
import { until } from "../support/until.ts";

const main = join(import.meta.dir, "..", "..", "src", "main.ts");
const yaml = `
prices:
  shipped: false
  cost: [{ model: "m*", provider: mine, operation: chat, from_input_tokens: 5, usd: { input: 0.25 }, valid_from: 2026-01-31 }]
  price: [{ model: smart, factor: 1.25, per_request: 0.001 }]
`;

async function turnpike(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-prices-"));
  try {
    writeFileSync(join(folder, "turnpike.yaml"), yaml);
    const env = { PATH: process.env["PATH"] ?? "" };
    const child = Bun.spawn([process.execPath, main, "prices", ...words], {
      cwd: folder,
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, out, err };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("columns", async () => {
  const { out } = await turnpike("list");
  const [, cost = "", price = ""] = out.split("\n").map((line) => line.split(/ {2,}/).join("|"));
  expect(cost).toBe("cost|mine|m*|chat, from 5 input tokens|inputTokens|0.25|1000000|2026-01-31");
  expect(price).toBe("price|smart|everything|cost × 1.25 + 0.001|request");
});

test("JSON has money as decimal strings, and the versions", async () => {
  const { out } = await turnpike("list", "--json");
  expect(JSON.parse(out)).toMatchObject({
    costVersion: expect.stringMatching(/^\w{12}$/),
    cost: [{ of: "inputTokens", nanoDollars: "250000000", per: "1000000" }],
    rules: [{ factorMillionths: "1250000", perRequestNanoDollars: "1000000" }],
  });
});

test("only rows that may apply to a model", async () => {
  const { cost, rules } = JSON.parse((await turnpike("list", "--model", "m-1", "--json")).out) as Record<
    string,
    unknown[]
  >;
  expect([cost?.length, rules?.length]).toEqual([1, 0]);
});

test("an unknown option exits with 2", async () => {
  const { code, err } = await turnpike("list", "--all");
  expect([code, err]).toEqual([2, expect.stringContaining("--all")]);
});

test("rows that differ from what was served, from the shipped ones and between the file and the admin API", async () => {
  const own = yaml.replace("shipped: false", "shipped: true");
  const running = await gateway({ yaml: own });
  const { ask } = await adminOf(running);
  const config = join(running.dataFolder, "..", "prices.yaml");
  writeFileSync(config, own);
  const run = (...words: string[]): string => {
    const env = { PATH: process.env["PATH"], TURNPIKE_DATA: running.dataFolder, TURNPIKE_CONFIG: config };
    const { stdout, stderr } = Bun.spawnSync({ cmd: [process.execPath, main, "prices", ...words], env });
    expect(stderr.toString()).toBe("");
    return stdout.toString();
  };
  interface Difference {
    match: { model: string };
    before: { nanoDollars?: string } | null;
    after: { nanoDollars?: string } | null;
  }
  const diff = (...words: string[]) => JSON.parse(run("diff", ...words, "--json")) as Difference[];
  await until("the prices are stored", () => existsSync(join(running.dataFolder, "price-books")));
  expect(run("diff")).toContain("are the same");
  expect(diff("shipped", "file").map(({ match, before }) => [match.model, before])).toEqual([
    ["m*", null],
    ["smart", null],
  ]);
  writeFileSync(config, own.replace("input: 0.25", "input: 0.5"));
  expect(diff().map(({ before, after }) => [before?.nanoDollars, after?.nanoDollars])).toEqual([
    ["250000000", "500000000"],
  ]);
  writeFileSync(config, own);
  const entry = { book: "cost", config: { model: "api-model", usd: { input: 7 } } };
  expect((await ask("POST prices", entry)).status).toBe(201);
  expect(diff("file", "current").map(({ match }) => match.model)).toEqual(["api-model"]);
  expect(JSON.parse(run("list", "--model", "api-model", "--json"))["cost"][0]).toMatchObject({ model: "api-model" });
  await until("both versions are stored", () => (JSON.parse(run("versions", "--json")) as unknown[]).length === 2);
  const [newest, oldest] = JSON.parse(run("versions", "--json")) as { costVersion: string }[];
  expect(diff(oldest?.costVersion ?? "", newest?.costVersion ?? "").map(({ match }) => match.model)).toEqual([
    "api-model",
  ]);
  await running.stop();
});

test("a day that does not exist is refused", () => {
  expect(dayMs("since", "2026-02-28")).toBe(Date.UTC(2026, 1, 28));
  for (const text of ["2026-02-31", "2026-13-01", "2026-2-1", "today"])
    expect(() => dayMs("since", text)).toThrow("--since must be a day");
});
