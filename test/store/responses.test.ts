// Stored responses are found by their owner alone, until their time is over.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mostItems, putResponseItems, responseHolding } from "../../src/store/response-items.ts";
import { isInPieces, piecesOf, putPieces } from "../../src/store/response-pieces.ts";
import {
  abandonedResponses,
  advanceResponse,
  deleteResponse,
  findResponse,
  keepResponseAlive,
  purgeExpiredResponses,
  purgeOldResponses,
  putResponse,
  type ResponseRow,
} from "../../src/store/responses.ts";
import { engines, type OpenedStore } from "./engines.ts";

const row: ResponseRow = {
  id: "resp_1",
  ownerKeyId: "key_a",
  state: "in_progress",
  input: "[]",
  body: '{"id":"resp_1"}',
  createdAtMs: 1_000,
  expiresAtMs: 2_000,
  aliveUntilMs: null,
};

for (const engine of engines) {
  describe.skipIf(engine.skipped)(engine.name, () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await engine.open();
    });
    afterEach(async () => {
      await opened?.dispose();
    });

    test("a response is found by its owner and by nobody else", async () => {
      await putResponse(opened.store, row);
      expect(await findResponse(opened.store, "resp_1", "key_a", 1_500)).toEqual(row);
      expect(await findResponse(opened.store, "resp_1", "key_b", 1_500)).toBeUndefined();
      expect(await findResponse(opened.store, "resp_2", "key_a", 1_500)).toBeUndefined();
    });

    test("a newer state replaces the older one, but never that of another owner", async () => {
      await putResponse(opened.store, row);
      await putResponse(opened.store, { ...row, state: "completed", body: "{}" });
      await putResponse(opened.store, { ...row, ownerKeyId: "key_b", state: "failed" });
      expect(await findResponse(opened.store, "resp_1", "key_a", 1_500)).toMatchObject({
        state: "completed",
        body: "{}",
      });
    });

    test("a long text is stored in pieces, which go when their response does", async () => {
      const { store } = opened;
      const count = async () => (await store.query("select id from response_pieces")).length;
      const long = async (id: string, expiresAtMs: number, at: number) => {
        const texts = Array.from({ length: 5 }, (_, index) => `${id} ${index}`);
        const input = await putPieces(store, `text ${id}`, { responseId: id, expiresAtMs }, texts);
        await putResponse(store, { ...row, id, input, expiresAtMs, createdAtMs: at });
        const read = await Array.fromAsync(piecesOf(store, input));
        expect([isInPieces(input), isInPieces("[]"), read]).toEqual([true, false, texts]);
      };
      await long("deleted", 9_000, 1);
      await long("expired", 2_000, 2);
      await long("oldest", 9_000, 3);
      await long("newest", 9_000, 4);
      const counts = [await count()];
      await deleteResponse(store, "deleted", "key_a");
      counts.push(await count());
      await purgeExpiredResponses(store, 2_000);
      counts.push(await count());
      await purgeOldResponses(store, 1);
      counts.push(await count());
      expect(counts).toEqual([20, 15, 10, 5]);
      expect(Array.fromAsync(piecesOf(store, "@text deleted.5"))).rejects.toThrow("missing");
    });

    test("after its time a response is gone, first for readers and then from the table", async () => {
      await putResponse(opened.store, row);
      expect(await findResponse(opened.store, "resp_1", "key_a", 2_000)).toBeUndefined();
      expect([
        await purgeExpiredResponses(opened.store, 1_999),
        await purgeExpiredResponses(opened.store, 2_000),
      ]).toEqual([0, 1]);
    });

    test("only its owner deletes a response, and once", async () => {
      await putResponse(opened.store, row);
      const deletions = ["key_b", "key_a", "key_a"].map((owner) => () => deleteResponse(opened.store, "resp_1", owner));
      const done: boolean[] = [];
      for (const deletion of deletions) done.push(await deletion());
      expect(done).toEqual([false, true, false]);
    });

    test("only what is not over is moved on, and nothing that was deleted comes back", async () => {
      await putResponse(opened.store, { ...row, aliveUntilMs: 1_100 });
      const next = { id: "resp_1", state: "completed", body: "{}", aliveUntilMs: null };
      expect(await advanceResponse(opened.store, { ...next, state: "in_progress", aliveUntilMs: 1_200 })).toBe(true);
      expect(await advanceResponse(opened.store, next)).toBe(true);
      expect(await advanceResponse(opened.store, { ...next, state: "failed" })).toBe(false);
      expect(await keepResponseAlive(opened.store, "resp_1", 9_999)).toBe(false);
      expect(await findResponse(opened.store, "resp_1", "key_a", 1_500)).toMatchObject({ state: "completed" });
      expect(await advanceResponse(opened.store, { ...next, id: "resp_2" })).toBe(false);
    });

    test("what nobody has said to be alive is abandoned", async () => {
      await putResponse(opened.store, { ...row, aliveUntilMs: 1_100 });
      await putResponse(opened.store, { ...row, id: "resp_2" });
      const ids = async (nowMs: number | null) => (await abandonedResponses(opened.store, nowMs)).map(({ id }) => id);
      expect([await ids(1_100), await ids(1_101), await ids(null)]).toEqual([[], ["resp_1"], ["resp_1"]]);
      expect(await keepResponseAlive(opened.store, "resp_1", 1_500)).toBe(true);
      expect(await ids(1_101)).toEqual([]);
    });

    test("an item is found by its owner, at its newest place, until its response goes", async () => {
      const place = { responseId: "resp_1", ownerKeyId: "key_a", expiresAtMs: 2_000 };
      await putResponse(opened.store, row);
      await putResponseItems(opened.store, place, ["msg_1", "msg_2", "msg_1"]);
      await putResponseItems(opened.store, { ...place, responseId: "resp_2" }, ["msg_2"]);
      await putResponseItems(opened.store, place, []);
      const holding = (id: string, owner = "key_a") => responseHolding(opened.store, id, owner);
      expect([await holding("msg_1"), await holding("msg_2"), await holding("msg_1", "key_b")]).toEqual([
        "resp_1",
        "resp_2",
        undefined,
      ]);
      await deleteResponse(opened.store, "resp_1", "key_a");
      expect([await holding("msg_1"), await holding("msg_2")]).toEqual([undefined, "resp_2"]);
      await purgeExpiredResponses(opened.store, 2_000);
      expect(await holding("msg_2")).toBeUndefined();
    });

    test("many items are one statement", async () => {
      const ids = Array.from({ length: mostItems + 1 }, (_, index) => `item_${index}`);
      await putResponseItems(opened.store, { responseId: "resp_1", ownerKeyId: "key_a", expiresAtMs: 2_000 }, ids);
      expect(await responseHolding(opened.store, `item_${mostItems - 1}`, "key_a")).toBe("resp_1");
      expect(await responseHolding(opened.store, `item_${mostItems}`, "key_a")).toBeUndefined();
    });
  });
}
