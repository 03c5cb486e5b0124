// The audit log: one entry for each change, in the change's transaction, and a chain that shows what was done to it.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { admin, dataIn, errorIn, type Json } from "./setting.ts";

const { ask, running } = await admin();
const scopes = ["audit:read"];
const entries = async (query = "") => dataIn(await ask(`GET audit?limit=100${query}`));
const verify = async () => (await ask("POST audit/verify")).body;

test("a change has one entry that names who, what and how", async () => {
  const created = await ask("POST service-tokens", { name: "one", scopes }, { headers: { "x-request-id": "mine-1" } });
  const id = String(created.body["id"]);
  await ask(`PATCH service-tokens/${id}`, { name: "two" });
  const [changed, made] = await entries(`&object_id=${id}`);
  expect(made).toMatchObject({
    object: "audit_entry",
    actor: { kind: "admin_key", id: "admin", name: "admin key" },
    action: "create",
    resource: "service-tokens",
    object_id: id,
    request_id: "mine-1",
    change: { after: { name: "one", scopes } },
  });
  expect(changed).toMatchObject({
    action: "update",
    change: { before: { name: "one", version: 1 }, after: { name: "two", version: 2 } },
    previous_hash: made?.["hash"],
  });
  expect((await ask(`GET audit/${made?.["id"]}`)).body).toEqual(made as Json);
});

test("what was refused has none, and what was read has none", async () => {
  const before = await entries();
  await ask("POST service-tokens", { name: "two", scopes });
  await ask("POST service-tokens", { name: "", scopes });
  await ask("PATCH service-tokens/svc_missing", { name: "x" });
  await ask("GET service-tokens");
  expect(await entries()).toEqual(before);
});

test("changes at the same time are numbered without gaps", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, at) => ask("POST service-tokens", { name: `many ${at}`, scopes })));
  const ids = (await entries()).map(({ id }) => Number(id));
  expect(ids).toEqual(Array.from(ids, (_, at) => ids.length - at));
  expect(await verify()).toMatchObject({ valid: true, entries: ids.length, broken_at: null });
});

test("filters by time and resource", async () => {
  expect(await entries("&until=2001-01-01")).toEqual([]);
  expect(await entries("&since=2001-01-01&resource=service-tokens&actor_id=admin")).toEqual(await entries());
  expect(await entries("&resource=nothing")).toEqual([]);
  expect(errorIn(await ask("GET audit?since=noon"))).toEqual({ status: 400, code: "invalid_value", param: "since" });
});

test.each(["GET audit/0", "GET audit/999999", "GET audit/x"])("%s is 404", async (call) => {
  expect((await ask(call)).status).toBe(404);
});

test("an entry that is changed, or left out, is found", async () => {
  using database = new Database(join(running.dataFolder, "turnpike.db"));
  const [{ change: original } = { change: "" }] = database
    .query<{ change: string }, []>("select change from audit where seq = 3")
    .all();
  database.run("update audit set change = '{}' where seq = 3");
  expect(await verify()).toMatchObject({ valid: false, broken_at: 3, entries: 2 });
  database.run("update audit set change = ? where seq = 3", [original]);
  expect(await verify()).toMatchObject({ valid: true });
  const { n: last } = database.query<{ n: number }, []>("select max(seq) as n from audit").get() ?? { n: 0 };
  database.run("delete from audit where seq = ?", [last]);
  expect(await verify()).toMatchObject({ valid: false, broken_at: last });
});
