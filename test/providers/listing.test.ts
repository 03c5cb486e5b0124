// Reading a provider's list of models.
import { expect, test } from "bun:test";
import { readDataList } from "../../src/providers/model-list.ts";

test("what Anthropic's list says of a model beyond its name is kept", () => {
  const capabilities = { batch: { supported: true } };
  const item = { type: "model", id: "claude-x", display_name: "Claude X", created_at: "2026-01-02T00:00:00Z" };
  const listed = { capabilities, lifecycle: "deprecated", max_tokens: 64_000, deprecated_at: "2026-03-01T00:00:00Z" };
  expect(readDataList({ data: [{ ...item, ...listed, more: 1 }] })).toEqual([
    { id: "claude-x", displayName: "Claude X", createdAt: 1_767_312_000, details: listed },
  ]);
});

test("members of the same names in other lists mean something else", () => {
  expect(readDataList({ data: [{ id: "m", object: "model", max_tokens: 5 }] })).toEqual([{ id: "m" }]);
});
