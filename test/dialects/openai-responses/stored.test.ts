// Stored responses as they are told again: pages of items, deletion, and responses under the gateway's own id.
import { describe, expect, test } from "bun:test";
import { documents } from "../../../src/dialects/openai-responses/stored-documents.ts";
import { listPage, parseListQuery, storedItems } from "../../../src/dialects/openai-responses/stored-items.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { dialect, hello, thrown, writeContext } from "./helpers.ts";

const query = (more: Record<string, string> = {}) => parseListQuery((name) => more[name] ?? null);
const items = Array.from({ length: 5 }, (_, index): JsonObject => ({ id: `msg_${index}`, type: "message" }));
const page = (more: Record<string, string> = {}): JsonObject => {
  const { data, ...rest } = listPage(items, query(more));
  return { ids: (data as JsonObject[]).map((item) => item.id ?? null), ...rest };
};

describe("pages", () => {
  test("the newest first, twenty at a time, unless asked otherwise", () => {
    expect(query()).toEqual({ limit: 20, order: "desc" });
    expect(query({ limit: "7", order: "asc", after: "msg_1" })).toEqual({ limit: 7, order: "asc", after: "msg_1" });
    expect(page()).toEqual({
      ids: ["msg_4", "msg_3", "msg_2", "msg_1", "msg_0"],
      object: "list",
      first_id: "msg_4",
      last_id: "msg_0",
      has_more: false,
    });
  });

  test("one page follows the other until there is no more", () => {
    expect(page({ limit: "2", order: "asc" })).toMatchObject({ ids: ["msg_0", "msg_1"], has_more: true });
    expect(page({ limit: "2", order: "asc", after: "msg_1" })).toMatchObject({
      ids: ["msg_2", "msg_3"],
      has_more: true,
    });
    expect(page({ limit: "2", order: "asc", after: "msg_3" })).toMatchObject({ ids: ["msg_4"], has_more: false });
    expect(page({ after: "msg_0" })).toMatchObject({ ids: [], first_id: null, last_id: null, has_more: false });
  });

  test("bounds from both sides", () => {
    for (const limit of ["1", "100"]) expect(query({ limit }).limit).toBe(Number(limit));
    for (const limit of ["0", "101", "-1", "1.5", "x"])
      expect(thrown(() => query({ limit }))).toMatchObject({ kind: "invalid_value", param: "limit" });
    expect(thrown(() => query({ order: "up" }))).toMatchObject({ param: "order" });
    expect(thrown(() => page({ after: "msg_9" }))).toMatchObject({ param: "after" });
  });
});

test("items are stored whole: a type, a status, parts, and an id of their own", () => {
  expect(storedItems("hi", "resp_1")).toEqual([
    {
      id: "msg_gw_1_in0",
      type: "message",
      role: "user",
      status: "completed",
      content: [{ type: "input_text", text: "hi" }],
    },
  ]);
  const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
  const message = { id: "msg_x", role: "assistant", content: "yes" };
  expect(storedItems([call, message, { type: "shell_call_output", output: [] }], "resp_1")).toEqual([
    { ...call, id: "fc_gw_1_in0" },
    {
      id: "msg_x",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "yes", annotations: [] }],
    },
    { type: "shell_call_output", output: [], id: "item_gw_1_in2" },
  ]);
});

test("what a deletion answers", () => {
  expect(documents.deleted("resp_1")).toEqual({ id: "resp_1", object: "response", deleted: true });
});

test("an upstream's id never reaches the client", () => {
  const stored = { id: "resp_ours", isStored: true, isBackground: false, previousId: "resp_0" };
  const reply = { id: "up", object: "response", store: false };
  expect(dialect.passthrough.normalize?.(reply, hello, writeContext({ stored }))).toEqual({
    id: "resp_ours",
    object: "response",
    store: true,
    previous_response_id: "resp_0",
  });
});
