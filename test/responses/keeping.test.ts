// What is kept and for how long: retention, nothing kept at all, and a store that fails behind a good reply.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { says } from "../support/fixtures.ts";
import { refusalOf, setting } from "./setting.ts";

const keeps = await setting({ more: "responses: { retention_days: 2 }\n" });
const forgets = await setting({ more: "responses: { retention_days: 0 }\n" });

/** Changes the store of a running gateway from outside. */
function inStore(dataFolder: string, sql: string): unknown[] {
  using database = new Database(join(dataFolder, "turnpike.db"));
  database.run("pragma busy_timeout = 2000");
  return database.query(sql).all();
}

test("a response is kept for as long as the configuration says", async () => {
  keeps.allSay("text.json");
  const { dataFolder } = keeps.world.gateway;
  const made = await keeps.mine.responses.create({ model: "gpt-x", input: "hi" });
  expect(inStore(dataFolder, "select (expires_at_ms - created_at_ms) / 86400000 as days from responses")).toEqual([
    { days: 2 },
  ]);
  inStore(dataFolder, "update responses set expires_at_ms = 1");
  expect(await refusalOf(keeps.mine.responses.retrieve(made.id))).toMatchObject({ status: 404 });
  expect(
    await refusalOf(keeps.mine.responses.create({ model: "gpt-x", input: "x", previous_response_id: made.id })),
  ).toMatchObject({ status: 400, code: "previous_response_not_found" });
});

test("a gateway that keeps nothing says so", async () => {
  forgets.allSay("text.json");
  const ask = { model: "gpt-x", input: "hi" };
  const whole = await forgets.mine.responses.create(ask);
  const streamed = await forgets.mine.responses.stream(ask).finalResponse();
  const relayed = await forgets.mine.responses.create({ ...ask, model: "gpt-r" });
  for (const { id, ...made } of [whole, streamed, relayed]) {
    expect((made as { store?: boolean }).store).toBe(false);
    expect(await refusalOf(forgets.mine.responses.retrieve(id))).toMatchObject({ status: 404 });
  }
  expect(inStore(forgets.world.gateway.dataFolder, "select * from responses")).toEqual([]);
  expect(await refusalOf(forgets.mine.responses.create({ ...ask, background: true }))).toMatchObject({
    status: 400,
    param: "background",
  });
});

test.each(["gpt-x", "gpt-r"])("a reply of %s is good though it cannot be stored, and says so", async (model) => {
  keeps.allSay("text.json");
  const { dataFolder, log } = keeps.world.gateway;
  inStore(dataFolder, "alter table responses rename to responses_away");
  try {
    const before = log.length;
    const whole = await keeps.mine.responses.create({ model, input: "hi" });
    const streamed = await keeps.mine.responses.stream({ model, input: "hi" }).finalResponse();
    for (const made of [whole, streamed]) {
      expect(made.output_text).toStartWith("Hello there");
      expect((made as { store?: boolean }).store).toBe(false);
    }
    expect(log.slice(before).filter((line) => line.includes("background_task_failed"))).toHaveLength(2);
  } finally {
    inStore(dataFolder, "alter table responses_away rename to responses");
  }
});

test("the response is in the store before its last bytes leave", async () => {
  const { dataFolder } = keeps.world.gateway;
  keeps.world.upstreams.alpha.on("*", says("openai-chat/text.sse"));
  const stream = await keeps.mine.responses.create({ model: "gpt-x", input: "hi", stream: true });
  for await (const event of stream) {
    if (event.type !== "response.completed") continue;
    const rows = inStore(dataFolder, `select state from responses where id = '${event.response.id}'`);
    expect(rows).toEqual([{ state: "completed" }]);
  }
  expect.assertions(1);
});
