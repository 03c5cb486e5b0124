// The table of limits: its rows make sense, the file sets them, and the gateway obeys what was set.
import { expect, test } from "bun:test";
import { defaultLimits, fieldOf, limitRows, limitsOf } from "../../src/config/limits.ts";
import { gateway } from "../support/gateway.ts";
import { load } from "./load.ts";

test("every row has a name of its own, a default within its range and a sentence", () => {
  expect(new Set(limitRows.map(({ name }) => name)).size).toBe(limitRows.length);
  for (const { name, default: usual, least, most, meaning } of limitRows) {
    expect([name, usual >= least, usual <= most]).toEqual([name, true, true]);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  }
});

test("the file sets a limit by its name in the file; the others keep their defaults", () => {
  expect(fieldOf("maxBodyBytes")).toBe("max_body_bytes");
  expect(limitsOf({ max_body_bytes: 2_048 })).toEqual({ ...defaultLimits, maxBodyBytes: 2_048 });
});

test("a limit outside its range, and one that does not exist, stop the start with line and field", () => {
  expect(() => load("limits:\n  max_json_depth: 1\n")).toThrow("turnpike.yaml line 2, limits.max_json_depth: ");
  expect(() => load("limits:\n  max_json_dept: 100\n")).toThrow("limits.max_json_dept");
});

test("a body above the limit of the file is refused with its number", async () => {
  await using running = await withLimits("max_body_bytes: 2048");
  const answer = await fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "x".repeat(3_000) }] }),
  });
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ error: { message: "The body is larger than 2 KiB." } });
});

async function withLimits(line: string) {
  const running = await gateway({ yaml: `limits: { ${line} }\n` });
  return { ...running, [Symbol.asyncDispose]: running.stop };
}
