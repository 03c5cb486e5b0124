// Usage, requests, tasks and settings through the admin API: sums, filters, pages and what each role sees of them.
import { describe, expect, test } from "bun:test";
import { ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { catalogSetting, hi } from "./catalog-setting.ts";
import { dataIn, errorIn, type Json } from "./setting.ts";

const { ask, token, running, up, chat } = await catalogSetting();
await ask("POST prices", { book: "cost", config: { model: "f", usd: { input: 1, output: 2 } } });
await ask("POST prices", { book: "price", config: { model: "fixed", factor: "2" } });

/** Three answered requests by two names, and one that the provider refuses. */
for (const model of ["filed/f", "filed/f", "fixed"]) expect((await chat(model)).status).toBe(200);
up.on("*", { status: 400, json: { error: { message: "no", type: "invalid_request_error" } } });
const refused = await chat("fixed");
up.on("*", hi);
await until("all are settled", () => {
  const rows = ledgerRows(running.dataFolder);
  return rows.length === 4 && rows.every(({ state }) => state !== "open");
});

const list = async (path: string) => {
  const answer = await ask(`GET ${path}`);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return dataIn(answer);
};

describe("usage", () => {
  test("without groups is one row for everything", async () => {
    const [row, ...others] = await list("usage");
    expect(others).toEqual([]);
    expect(row).toMatchObject({ object: "usage", start: null, model: null, key_id: null, requests: 4, errors: 1 });
    expect(row?.["tokens"]).toMatchObject({ input: 3_000_000, output: 3_000_000, reasoning: 0 });
    expect(row).toMatchObject({ cost: "9", price: "12", unpriced: 0, in_progress: 0 });
  });

  test("is grouped by any of time and members", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const byModel = await list("usage?group_by=model&bucket=day");
    expect(byModel.map(({ start, model, requests }) => ({ start, model, requests }))).toEqual([
      { start: `${today}T00:00:00.000Z`, model: "filed/f", requests: 2 },
      { start: `${today}T00:00:00.000Z`, model: "fixed", requests: 2 },
    ]);
    const [month] = await list("usage?bucket=month&group_by=provider,operation,key,project,end_user");
    expect(month).toMatchObject({
      start: `${today.slice(0, 7)}-01T00:00:00.000Z`,
      provider: "filed",
      operation: "chat",
      requests: 4,
      end_user: null,
    });
    expect(month?.["key_id"]).toMatch(/^key_/);
    expect((await list("usage?bucket=hour"))[0]?.["start"]).toMatch(/T\d\d:00:00\.000Z$/);
  });

  test("is filtered by members and time", async () => {
    expect((await list("usage?model=fixed"))[0]).toMatchObject({ requests: 2, price: "6", cost: "3" });
    expect(await list("usage?model=nothing")).toEqual([]);
    expect(await list("usage?until=2001-01-01")).toEqual([]);
    expect((await list("usage?since=2001-01-01"))[0]).toMatchObject({ requests: 4 });
  });

  test("is paged", async () => {
    const first = await ask("GET usage?group_by=model&limit=1");
    expect(first.body).toMatchObject({ has_more: true });
    const second = await ask(`GET usage?group_by=model&limit=1&cursor=${first.body["next_cursor"]}`);
    expect([...dataIn(first), ...dataIn(second)].map(({ model }) => model)).toEqual(["filed/f", "fixed"]);
    expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
    const other = await ask(`GET usage?group_by=key&limit=1&cursor=${first.body["next_cursor"]}`);
    expect(errorIn(other)).toMatchObject({ status: 400, param: "cursor" });
  });

  test.each([
    ["group_by=colour", "invalid_value", "group_by[0]"],
    ["group_by=model,model", "invalid_value", "group_by"],
    ["bucket=week", "invalid_value", "bucket"],
    ["since=2031-02-30", "invalid_value", "since"],
    ["since=2026-01-02&until=2026-01-01", "invalid_value", "until"],
    ["model=", "invalid_value", "model"],
    ["model=a&model=b", "invalid_value", "model"],
    ["key=x", "unknown_parameter", "key"],
  ])("refuses ?%s", async (query, code, param) => {
    expect(errorIn(await ask(`GET usage?${query}`))).toEqual({ status: 400, code, param });
  });
});

describe("requests", () => {
  test("are listed with the newest first, and one has its attempts", async () => {
    const rows = await list("requests");
    expect(rows.map(({ model, state, status }) => ({ model, state, status }))).toEqual([
      { model: "fixed", state: "rejected", status: 400 },
      { model: "fixed", state: "completed", status: 200 },
      { model: "filed/f", state: "completed", status: 200 },
      { model: "filed/f", state: "completed", status: 200 },
    ]);
    const paid = rows[1] as Json;
    expect(paid).toMatchObject({
      object: "request",
      provider: "filed",
      upstream_model: "f",
      stream: false,
      cost: "3",
      price: "6",
      charged: true,
      attempts: 1,
      attempt_list: null,
      organization_id: "default",
      project_id: "default",
    });
    const one = (await ask(`GET requests/${paid["id"]}`)).body;
    expect(one).toMatchObject({
      id: paid["id"],
      attempt_list: [{ number: 1, provider: "filed", outcome: "answered" }],
    });
  });

  test("one is found by the id that its client saw", async () => {
    const id = refused.headers.get("x-request-id");
    const { body } = await ask(`GET requests/${id}`);
    expect(body).toMatchObject({ request_id: id, state: "rejected", attempt_list: [{ outcome: "refused" }] });
    expect((await ask("GET requests/req_nothing")).status).toBe(404);
  });

  test.each([
    ["state=rejected", 1],
    ["state=interrupted", 0],
    ["status=200", 3],
    ["model=fixed", 2],
    ["model=fixed&state=completed", 1],
    ["provider=filed", 4],
    ["operation=chat", 4],
    ["operation=video", 0],
    ["min_cost=3", 3],
    ["min_cost=3.000000001", 0],
    ["min_duration_ms=0", 4],
    ["min_duration_ms=10000000000", 0],
    ["since=2001-01-01", 4],
    ["until=2001-01-01", 0],
    ["end_user=ann", 0],
    ["project_id=default", 4],
  ])("?%s finds %i", async (query, count) => {
    expect((await list(`requests?${query}`)).length).toBe(count);
  });

  test("are paged without a gap", async () => {
    const all = await list("requests");
    const ids: unknown[] = [];
    for (let cursor: unknown = ""; cursor !== null; ) {
      const page = await ask(`GET requests?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
      ids.push(...dataIn(page).map(({ id }) => id));
      cursor = page.body["next_cursor"];
    }
    expect(ids).toEqual(all.map(({ id }) => id));
  });

  test.each(["state=odd", "status=99", "status=600", "min_duration_ms=-1", "min_cost=-1", "min_cost=1e3", "key=x"])(
    "refuses ?%s",
    async (query) => {
      expect((await ask(`GET requests?${query}`)).status).toBe(400);
    },
  );

  test("show cost and attempts only to those who may see costs", async () => {
    const plain = { key: await token("requests:read", "usage:read") };
    const [row] = dataIn(await ask("GET requests", undefined, plain));
    expect(Object.keys(row ?? {})).not.toContainAnyValues(["cost", "cost_version", "attempt_list", "decisions"]);
    expect(row).toHaveProperty("price");
    expect(dataIn(await ask("GET usage", undefined, plain))[0]).not.toHaveProperty("cost");
    expect((await ask("GET requests?min_cost=1", undefined, plain)).status).toBe(403);
    const both = { key: await token("requests:read", "costs:read") };
    expect(dataIn(await ask("GET requests", undefined, both))[0]).toHaveProperty("cost");
    expect((await ask("GET usage", undefined, both)).status).toBe(403);
  });
});

describe("tasks", () => {
  const submit = async () => {
    const response = await fetch(`${running.url}/v1/videos`, {
      method: "POST",
      headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sandbox/video", prompt: "a prompt-canary [delay 60s]" }),
    });
    expect(response.status).toBe(200);
    return String(((await response.json()) as Json)["id"]);
  };

  test("are listed, shown without their prompt, and cancelled once", async () => {
    const id = await submit();
    const [task] = await list("tasks");
    expect(task).toMatchObject({ object: "task", id, model: "sandbox/video", provider: "sandbox", error: null });
    const one = await ask(`GET tasks/${id}`);
    expect(one.text).not.toContain("prompt-canary");
    const cancelled = await ask(`POST tasks/${id}/cancel`);
    expect(cancelled.body).toMatchObject({ id, state: "cancelled" });
    expect(errorIn(await ask(`POST tasks/${id}/cancel`))).toEqual({ status: 409, code: "task_over", param: null });
    expect((await list("tasks?state=cancelled")).map((each) => each["id"])).toEqual([id]);
    expect(await list("tasks?state=completed")).toEqual([]);
    expect((await list("tasks?provider=sandbox")).length).toBe(1);
    expect(await list("tasks?key_id=key_other")).toEqual([]);
    expect((await list("audit?resource=tasks"))[0]).toMatchObject({ action: "cancel", object_id: id });
    await submit();
    const page = await ask("GET tasks?limit=1");
    const next = await ask(`GET tasks?limit=1&cursor=${page.body["next_cursor"]}`);
    expect(dataIn(next).map((each) => each["id"])).toEqual([id]);
  });

  test.each(["POST tasks/task_missing/cancel", "GET tasks/task_missing"])("%s is 404", async (call) => {
    expect((await ask(call)).status).toBe(404);
  });

  test("a state that does not exist is 400", async () => {
    expect((await ask("GET tasks?state=done")).status).toBe(400);
  });
});

test("settings show limits and variables, and no secret", async () => {
  const limit = (await ask("GET settings/limits.max_body_bytes")).body;
  expect(limit).toMatchObject({ object: "setting", value: expect.any(Number), source: "default" });
  expect((await ask("GET settings/TURNPIKE_DATA")).body).toMatchObject({
    source: "environment",
    value: running.dataFolder,
  });
  const all: string[] = [];
  for (let cursor: unknown = ""; cursor !== null; ) {
    const page = await ask(`GET settings?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`);
    all.push(page.text);
    cursor = page.body["next_cursor"];
  }
  expect(all.join("")).not.toContain(running.key);
  expect((await ask("GET settings/TURNPIKE_SECRET")).status).toBe(404);
});
