// Which alerts are sent: each problem once, again after a time, and at its end.
import { expect, test } from "bun:test";
import { createAlerts } from "../../src/telemetry/alerts/alerts.ts";
import { createDelivery } from "../../src/telemetry/alerts/delivery.ts";
import type { AlertMessage, Problem } from "../../src/telemetry/alerts/problem.ts";

const problem = (key: string): Problem => ({
  key,
  kind: "provider",
  message: `${key} fails.`,
  data: { provider: key },
});

function setting(reminderMs = 60_000) {
  const time = { ms: 1_000 };
  const sent: AlertMessage[] = [];
  let found: readonly Problem[] = [];
  const alerts = createAlerts({
    clock: { nowMs: () => time.ms, monotonicMs: () => time.ms },
    reminderMs: () => reminderMs,
    find: async () => found,
    send: (message) => void sent.push(message),
  });
  const look = async (atMs: number, ...keys: string[]): Promise<(readonly [string, unknown])[]> => {
    time.ms = atMs;
    found = keys.map(problem);
    sent.length = 0;
    await alerts.look();
    return sent.map(({ type, data }) => [type, data["status"]] as const);
  };
  return { alerts, look, sent };
}

test("a problem is sent once, again after the time of the reminder, and at its end", async () => {
  const { look, sent } = setting();
  expect(await look(0, "a")).toEqual([["provider.failing", "firing"]]);
  expect(await look(59_999, "a")).toEqual([]);
  expect(await look(60_000, "a")).toEqual([["provider.failing", "reminder"]]);
  expect(sent[0]?.data).toMatchObject({ since: "1970-01-01T00:00:00.000Z", provider: "a", message: "a fails." });
  expect(await look(119_999, "a")).toEqual([]);
  expect(await look(120_000, "b")).toEqual([
    ["provider.recovered", "resolved"],
    ["provider.failing", "firing"],
  ]);
  expect(await look(120_001)).toEqual([["provider.recovered", "resolved"]]);
  expect(await look(120_002)).toEqual([]);
});

test("without a time there are no reminders", async () => {
  const { look } = setting(0);
  expect(await look(0, "a")).toHaveLength(1);
  expect(await look(10_000_000, "a")).toEqual([]);
});

test("at most a thousand problems are reported at one time, and each that was reported ends", async () => {
  const { look } = setting();
  const keys = Array.from({ length: 1_500 }, (_, at) => String(at));
  expect(await look(0, ...keys)).toHaveLength(1_000);
  expect(await look(1)).toHaveLength(1_000);
});

const message = (type: string): AlertMessage => ({ type, timestamp: "", data: {} });

test("a message is tried again until it is accepted, in order and with the same id", async () => {
  const requested: [type: string, id: string][] = [];
  const faults: unknown[] = [];
  const done = Promise.withResolvers<void>();
  const statuses = [500, 0, 200, 410, 200];
  const delivery = createDelivery({
    key: () => new Uint8Array(32),
    clock: { nowMs: () => 0 },
    waitMs: () => 0,
    failed: (cause) => void faults.push(cause),
    async post(body, headers) {
      requested.push([JSON.parse(body).type, headers["webhook-id"] ?? ""]);
      const status = statuses.shift() ?? 200;
      if (statuses.length === 0) done.resolve();
      if (status === 0) throw new Error("no connection");
      return status;
    },
  });
  for (const type of ["a", "b", "c"]) delivery.send(message(type));
  await done.promise;
  expect(requested.map(([type]) => type)).toEqual(["a", "a", "a", "b", "c"]);
  expect(new Set(requested.slice(0, 3).map(([, id]) => id)).size).toBe(1);
  expect(new Set(requested.map(([, id]) => id)).size).toBe(3);
  expect(faults).toHaveLength(3);
});

test("a receiver that hangs holds nobody up: the queue is bounded, and what is discarded is reported", () => {
  let requested = 0;
  const faults: unknown[] = [];
  const delivery = createDelivery({
    key: () => new Uint8Array(32),
    clock: { nowMs: () => 0 },
    failed: (cause) => void faults.push(cause),
    post(_body, _headers, signal) {
      requested++;
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  for (let n = 0; n < 1_000; n++) delivery.send(message("a"));
  expect({ requested, discarded: faults.length }).toEqual({ requested: 1, discarded: 799 });
  delivery.close();
});
