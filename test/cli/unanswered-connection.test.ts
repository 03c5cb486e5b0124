// A command ends although the connection that it tried is neither accepted nor refused.
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { blackHole } from "../support/black-hole.ts";

const hole = await blackHole();
afterAll(() => hole.close());

test("health ends after its timeout where no connection is accepted", async () => {
  const main = join(import.meta.dir, "../../src/main.ts");
  const child = Bun.spawn([process.execPath, main, "health", "--url", hole.url], { stdout: "pipe", stderr: "pipe" });
  const printed = await new Response(child.stdout).text();
  expect(await child.exited).toBe(1);
  expect(printed + (await new Response(child.stderr).text())).toContain("does not respond");
}, 60_000);
