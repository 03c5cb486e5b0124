// The log of a run's events: followed from any number, bounded, warm in silence, and never ended for a slow reader in secret.
import { expect, test } from "bun:test";
import { createEventLog } from "../../src/gateway/responses/event-log.ts";

const pace = (heartbeatMs = 10_000) => ({ heartbeatMs, heartbeat: () => new TextEncoder().encode(": beat\n\n") });
const text = async (stream: ReadableStream<Uint8Array>): Promise<string> => await new Response(stream).text();

test("whoever follows gets what was and what comes, from the number on", async () => {
  const log = createEventLog(1_000);
  log.append({ data: "0" });
  log.append({ data: "1" });
  const [all, rest, none] = [-1, 0, 9].map((after) => text(log.follow(after, pace())));
  log.append({ data: "2" });
  log.end();
  expect(await Promise.all([all, rest, none])).toEqual([
    "data: 0\n\ndata: 1\n\ndata: 2\n\n",
    "data: 1\n\ndata: 2\n\n",
    "",
  ]);
  expect(log.next()).toBe(3);
});

test("silence is filled", async () => {
  const log = createEventLog(1_000);
  const reader = log.follow(-1, pace(5)).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(": beat\n\n");
  log.append({ data: "0" });
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("data: 0\n\n");
});

test("beyond its bound the oldest go; who still needs them is told by an error, not by an end", async () => {
  const log = createEventLog(30);
  const late = log.follow(-1, pace());
  for (const data of ["0", "1", "2", "3", "4"]) log.append({ data });
  log.end();
  expect([log.first(), log.next(), log.chars()]).toEqual([2, 5, 27]);
  expect(await text(log.follow(1, pace()))).toBe("data: 2\n\ndata: 3\n\ndata: 4\n\n");
  await expect(text(late)).rejects.toThrow("slower than the event buffer allows");
});
