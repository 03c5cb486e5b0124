// Requests ask the shared database nothing: counted by a proxy in front of PostgreSQL, with rates, budgets and prices on.
import { afterAll, expect, test } from "bun:test";
import type { Socket } from "bun";
import { freshDatabase, serverUrl } from "../store/engines.ts";
import { gateway } from "../support/gateway.ts";

interface Pair {
  other: Socket<Pair> | null;
  early: Buffer[];
}

/** Counts what the gateway sends to the database. */
function countingProxy({ hostname, port }: URL) {
  let sent = 0;
  const target = { hostname, port: Number(port || 5432) };
  const forward = (socket: Socket<Pair>, bytes: Buffer): void => {
    if (socket.data.other === null) socket.data.early.push(Buffer.from(bytes));
    else socket.data.other.write(bytes);
  };
  const server = Bun.listen<Pair>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      async open(socket) {
        socket.data = { other: null, early: [] };
        const other = await Bun.connect<Pair>({
          ...target,
          data: { other: socket, early: [] },
          socket: { data: forward, close: ({ data }) => void data.other?.end() },
        });
        socket.data.other = other;
        for (const bytes of socket.data.early.splice(0)) other.write(bytes);
      },
      data(socket, bytes) {
        sent++;
        forward(socket, bytes);
      },
      close: ({ data }) => void data?.other?.end(),
    },
  });
  return { port: server.port, sent: () => sent, stop: () => server.stop(true) };
}

const yaml = `
prices:
  shipped: false
  cost: [{ model: "*", usd: { input: 1, output: 2 } }]
projects:
  shop:
    limits: { requests_per_minute: 1000000 }
    budgets: [{ amount: "1000", period: month }]
    end_users: { default_rules: { limits: { requests_per_minute: 100000 }, budgets: [{ amount: "100", period: day }] } }
keys:
  shop: { secret: tp-shop-secret, project: shop, limits: { tokens_per_minute: 100000000 }, budgets: [{ amount: "900", period: total }] }
`;

const windowMs = 3_000;
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

test.skipIf(serverUrl === undefined)("requests make no round trip to the database", async () => {
  const database = await freshDatabase();
  undo.push(database.drop);
  const url = new URL(database.url);
  const proxy = countingProxy(url);
  undo.push(proxy.stop);
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  const running = await gateway({ yaml, environment: { DATABASE_URL: url.href } });
  undo.push(running.stop);
  const ask = async (count: number): Promise<number> => {
    const body = { model: "sandbox/chat", stream: count % 2 === 0, messages: [{ role: "user", content: "hi" }] };
    const response = await fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        ...{ authorization: "Bearer tp-shop-secret", "content-type": "application/json" },
        "x-turnpike-user": `user-${count % 7}`,
      },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  expect(await Promise.all(Array.from({ length: 14 }, (_, count) => ask(count)))).toEqual(Array(14).fill(200));

  const atRest = proxy.sent();
  expect(atRest).toBeGreaterThan(0);
  await Bun.sleep(windowMs);
  const inBackground = proxy.sent() - atRest;
  const before = proxy.sent();
  let requests = 0;
  for (const untilMs = performance.now() + windowMs; performance.now() < untilMs; requests += 8) {
    const statuses = await Promise.all(Array.from({ length: 8 }, (_, count) => ask(requests + count)));
    expect(statuses).toEqual(Array(8).fill(200));
  }
  const underLoad = proxy.sent() - before;
  expect(requests).toBeGreaterThan(40);
  // The same background work, give or take one tick of each timer.
  expect({ requests, inBackground, underLoad, isSame: underLoad <= inBackground + 6 }).toMatchObject({ isSame: true });
  process.stdout.write(`${requests} requests, ${underLoad} writes to the database; ${inBackground} without requests\n`);
});
