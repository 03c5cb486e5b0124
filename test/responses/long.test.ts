// Long stored responses: what lies in pieces comes back character by character, and goes with its response.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { type Far, fars, refusalOf, setting } from "./setting.ts";

const { mine, allSay, upstreamRequest, send, world } = await setting();
const [alpha, , responder] = fars as readonly [Far, Far, Far];

/** How many pieces the store has. */
function pieces(): number {
  using database = new Database(join(world.gateway.dataFolder, "turnpike.db"), { readonly: true });
  return (database.query("select count(*) as n from response_pieces").get() as { n: number }).n;
}

const texts: Record<string, string> = {
  "characters of four bytes, wherever a piece ends": `a${"😀".repeat(300_000)}`,
  "characters of three bytes": "界".repeat(500_000),
  "escapes and quotes": '"\\\n'.repeat(200_000),
};

test.each(Object.entries(texts))("%s", async (_name, text) => {
  allSay("text.json");
  const before = pieces();
  const call = { type: "function_call", call_id: "c1", name: "f", arguments: '{"n":1152921504606846977}' };
  const output = { type: "function_call_output", call_id: "c1", output: "done" };
  const input = [{ role: "user", content: text }, call, output];
  const body = JSON.stringify({ model: alpha.model, input, instructions: text });
  const made = (await (await send("/v1/responses", { method: "POST", body })).json()) as { id: string };
  expect(pieces()).toBeGreaterThan(before + 2);

  const stored = await mine.responses.retrieve(made.id);
  expect(stored.instructions === text).toBe(true);
  const listed = await mine.responses.inputItems.list(made.id, { order: "asc" });
  expect(JSON.stringify(listed.data[0])).toContain(JSON.stringify(text));

  await mine.responses.create({ model: responder.model, input: "And?", previous_response_id: made.id });
  const sent = JSON.stringify(upstreamRequest(responder)["input"]);
  expect(sent).toContain(JSON.stringify(text));
  expect(sent).toContain(JSON.stringify(call.arguments));
  expect(sent).toContain("And?");

  const piecesBefore = pieces();
  await mine.responses.delete(made.id);
  expect(pieces()).toBeLessThan(piecesBefore - 2);
  expect(await refusalOf(mine.responses.retrieve(made.id))).toMatchObject({ status: 404 });
});
