// Stored responses are found by their owner alone, until their time is over.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  deleteResponse,
  findResponse,
  forgetExpiredResponses,
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

    test("after its time a response is gone, first for readers and then from the table", async () => {
      await putResponse(opened.store, row);
      expect(await findResponse(opened.store, "resp_1", "key_a", 2_000)).toBeUndefined();
      expect([
        await forgetExpiredResponses(opened.store, 1_999),
        await forgetExpiredResponses(opened.store, 2_000),
      ]).toEqual([0, 1]);
    });

    test("only its owner deletes a response, and once", async () => {
      await putResponse(opened.store, row);
      const deletions = ["key_b", "key_a", "key_a"].map((owner) => () => deleteResponse(opened.store, "resp_1", owner));
      const done: boolean[] = [];
      for (const deletion of deletions) done.push(await deletion());
      expect(done).toEqual([false, true, false]);
    });
  });
}
