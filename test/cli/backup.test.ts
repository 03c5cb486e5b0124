// `turnpike backup` and `health`: a copy that is made while requests are answered holds whole rows, and starts a gateway again.
import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readUsage } from "../../src/gateway/ledger/usage-report.ts";
import { filesBelow } from "../support/files.ts";
import { closedAddress } from "../support/upstream.ts";
import { askSandbox, place } from "./command.ts";

const requestsIn = (folder: string): number =>
  readUsage(folder, { groupBy: ["model"] }).reduce((sum, { requests }) => sum + requests, 0);

test("a backup under load can be restored: keys work, and every request before it is there", async () => {
  const here = place();
  const gateway = here.start({ TURNPIKE_KEY: "tp-a-client-key" });
  const url = await gateway.url();
  expect(await here.run(["health", "--url", url])).toEqual({ code: 0, out: "ready\n", err: "" });
  const created = JSON.parse((await here.run(["keys", "create", "--name", "robot", "--json"])).out);
  const ask = async () => expect((await askSandbox(url, "tp-a-client-key")).status).toBe(200);
  for (let count = 0; count < 20; count++) await ask();
  let isAsking = true;
  const load = (async () => {
    while (isAsking) await ask();
  })();
  const target = join(here.folder, "copies", "first");
  const { code, out, err } = await here.run(["backup", target, "--json"]);
  isAsking = false;
  await load;
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ folder: target, missing: [] });
  expect(readdirSync(target).sort()).toEqual(["ledger.db", "price-books", "secret", "turnpike.db"]);
  expect(statSync(target).mode & 0o777).toBe(0o700);
  for (const { name } of filesBelow(target)) expect(statSync(join(target, name)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(target, "secret"), "utf8")).toBe(readFileSync(join(here.folder, "data", "secret"), "utf8"));
  const copied = requestsIn(target);
  expect(copied).toBeGreaterThanOrEqual(20);
  expect(copied).toBeLessThanOrEqual(requestsIn(join(here.folder, "data")));
  expect(await here.run(["backup", target])).toMatchObject({ code: 1, err: expect.stringContaining("is not empty") });
  expect(await gateway.stop()).toBe(0);

  // As the documentation has it: the files of the copy are the data folder of a gateway that was never started.
  const there = place();
  mkdirSync(join(there.folder, "data"), { mode: 0o700 });
  for (const name of readdirSync(target))
    cpSync(join(target, name), join(there.folder, "data", name), { recursive: true });
  const restored = there.start();
  expect((await askSandbox(await restored.url(), created.key)).status).toBe(200);
  expect((await askSandbox(await restored.url(), "tp-a-client-key")).status).toBe(200);
  expect(await restored.stop()).toBe(0);
  expect(requestsIn(join(there.folder, "data"))).toBe(copied + 2);
  there.remove();
  here.remove();
}, 100_000);

test("a secret from a variable and a shared database are named as missing from the copy", async () => {
  const here = place();
  const secret = { TURNPIKE_SECRET: "the secret of this installation" };
  const gateway = here.start(secret);
  await gateway.url();
  expect(await gateway.stop()).toBe(0);
  const { out } = await here.run(["backup", "copy"], { ...secret, DATABASE_URL: "postgres://a:b@127.0.0.1:1/x" });
  expect(out).toContain("pg_dump");
  expect(out).toContain("TURNPIKE_SECRET is not copied");
  here.remove();
});

test("health: a gateway that is not there is not ready, and a backup without data makes no folder", async () => {
  const here = place();
  expect(await here.run(["health", "--url", closedAddress()])).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("cannot be reached"),
  });
  const asJson = await here.run(["health", "--json", "--url", closedAddress()]);
  expect(JSON.parse(asJson.out)).toMatchObject({ ready: false });
  expect(await here.run(["backup", "copy"])).toMatchObject({ code: 1, err: expect.stringContaining("does not exist") });
  expect(existsSync(join(here.folder, "copy"))).toBe(false);
  here.remove();
});
