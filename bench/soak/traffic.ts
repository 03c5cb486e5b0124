// Bars of a running gateway: hung, failing and fast providers, clients that leave, more work than it takes, callers without a key.
import { processorMicroseconds } from "../processor-time.ts";
import { percentile } from "../statistics.ts";
import { startBare } from "./bare.ts";
import {
  type Answered,
  adminKey,
  ask,
  atRate,
  type Check,
  key,
  p99Of,
  startGateway,
  startUpstream,
} from "./setting.ts";

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const shareOf = (requested: readonly Answered[], status: number): number =>
  requested.filter((each) => each.status === status).length / requested.length;

const hungUpstream: Check = {
  name: "hung",
  bar: "B6",
  promise: "with 2,000 requests hung at one provider, the p99 of another is at most 1.2 times as long, plus 3 ms",
  async run(scale) {
    const [slow, fast] = [startUpstream(), startUpstream({ delayMs: 10 })];
    const gateway = await startGateway(fast, `  hung: { kind: compatible, base_url: "${slow.url}/v1" }\n`);
    const healthy = (): Promise<Answered[]> => atRate(100, 5_000 * scale, () => ask(gateway.url, "far/m"));
    await healthy();
    const before = p99Of(await healthy());
    const leaving = new AbortController();
    const hung = Array.from({ length: 2_000 }, (_, n) =>
      ask(gateway.url, `hung/hang-${n}`, { signal: leaving.signal }),
    );
    while (slow.seen() < hung.length) await Bun.sleep(10);
    const during = p99Of(await healthy());
    leaving.abort();
    await Promise.all(hung);
    await gateway.stop();
    for (const each of [slow, fast]) each.stop();
    return { measured: `${ms(before)} before, ${ms(during)} during`, holds: during <= 1.2 * before + 3 };
  },
};

const leavingClients: Check = {
  name: "leaving",
  bar: "B13",
  promise: "a provider's request is aborted within 100 ms after its client has left (p99)",
  async run(scale) {
    const upstream = startUpstream({ paceMs: 20 });
    const gateway = await startGateway(upstream);
    const leftAtMs = new Map<string, number>();
    await atRate(50, 4_000 * scale, async (n) => {
      const model = n % 2 === 0 ? `hang-${n}` : `slow-${n}`;
      const leaving = new AbortController();
      setTimeout(() => {
        leftAtMs.set(model, performance.now());
        leaving.abort();
      }, 100);
      await ask(gateway.url, `far/${model}`, { stream: n % 2 === 1, signal: leaving.signal });
    });
    for (let tries = 0; upstream.abortedAtMs.size < leftAtMs.size && tries < 200; tries++) await Bun.sleep(10);
    const late = [...leftAtMs].map(([model, at]) => (upstream.abortedAtMs.get(model) ?? Number.POSITIVE_INFINITY) - at);
    await gateway.stop();
    upstream.stop();
    const p99 = percentile(
      late.sort((a, b) => a - b),
      0.99,
    );
    return { measured: `${ms(p99)} of ${late.length}`, holds: p99 <= 100 };
  },
};

const overload: Check = {
  name: "overload",
  bar: "B17",
  promise:
    "at twice the capacity, what is refused is refused within 20 ms (p99), and at least 90 % of the capacity is answered",
  async run(scale) {
    const upstream = startUpstream({ delayMs: 200 });
    const gateway = await startGateway(upstream, "limits: { max_concurrent_requests: 20 }\n");
    const requested = await atRate(200, 5_000 * scale, () => ask(gateway.url, "far/m"));
    await gateway.stop();
    upstream.stop();
    const refused = p99Of(requested.filter(({ status }) => status === 503));
    // Twenty at a time, each of 200 ms: a hundred in a second, half of what comes.
    const goodput = shareOf(requested, 200) / 0.5;
    const measured = `refused in ${ms(refused)}, ${(goodput * 100).toFixed(0)} % of the capacity answered`;
    return { measured, holds: refused < 20 && goodput >= 0.9 };
  },
};

const failingUpstream: Check = {
  name: "failing",
  bar: "B18",
  promise: "while every provider of a route fails, at most 1.1 requests go to providers for each of a client",
  async run(scale) {
    const upstream = startUpstream();
    const route =
      "models:\n  both: { candidates: [{ provider: far, model: fail }, { provider: away, model: fail }] }\n";
    const gateway = await startGateway(upstream, route);
    const requested = await atRate(100, 5_000 * scale, () => ask(gateway.url, "both"));
    const ratio = upstream.seen() / requested.length;
    await gateway.stop();
    upstream.stop();
    return { measured: `${ratio.toFixed(2)} of ${requested.length}`, holds: ratio <= 1.1 };
  },
};

/** Processor time of one request, the others excluded. */
async function microsecondsEach(pid: number, flood: () => Promise<Answered[]>): Promise<number> {
  const before = processorMicroseconds(pid);
  const { length } = await flood();
  return (processorMicroseconds(pid) - before) / length;
}

const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

const withoutKey: Check = {
  name: "flood",
  bar: "B19",
  promise:
    "a request without a valid key costs at most 20 µs more than one that a bare server refuses, and lengthens the p99 of others at most 1.5 times",
  async run(scale) {
    const upstream = startUpstream({ delayMs: 10 });
    const gateway = await startGateway(upstream);
    const bare = await startBare();
    const healthy = (): Promise<Answered[]> => atRate(50, 4_000 * scale, () => ask(gateway.url, "far/m"));
    const wrong = { headers: { authorization: "Bearer tp-wrong" } };
    const flood = (url: string): Promise<Answered[]> => atRate(1_500, 2_000 * scale, () => ask(url, "far/m", wrong));
    await flood(gateway.url);
    await flood(bare.url);
    const [own, others, before, during]: number[][] = [[], [], [], []];
    for (let pair = 0; pair < 5; pair++) {
      own?.push(await microsecondsEach(gateway.pid, () => flood(gateway.url)));
      others?.push(await microsecondsEach(bare.pid, () => flood(bare.url)));
      // The machine is as busy with the flood of a bare server as with one of the gateway.
      const [calm] = await Promise.all([healthy(), flood(bare.url)]);
      before?.push(p99Of(calm));
      const [disturbed] = await Promise.all([healthy(), flood(gateway.url)]);
      during?.push(p99Of(disturbed));
    }
    await Promise.all([gateway.stop(), bare.stop()]);
    upstream.stop();
    const [cost, bareCost, calm, disturbed] = [own, others, before, during].map((each = []) => median(each)) as [
      ...[number, number, number, number],
    ];
    const measured = `${cost.toFixed(0)} µs each, ${bareCost.toFixed(0)} µs at a bare server; p99 ${ms(calm)} while the bare server is flooded, ${ms(disturbed)} while the gateway is`;
    return { measured, holds: cost - bareCost <= 20 && disturbed <= 1.5 * calm };
  },
};

const eventLoopTurns = 3_000;

const eventLoop: Check = {
  name: "loop",
  bar: "B22",
  promise:
    "at 500 requests per second the event loop is late by less than 20 ms (p99.9), or than an idle process on the same machine is by as much",
  async run(scale) {
    const upstream = startUpstream({ delayMs: 10 });
    const gateway = await startGateway(upstream);
    const idle = await startBare();
    const load = (forMs: number): Promise<Answered[]> => atRate(500, forMs, () => ask(gateway.url, "far/m"));
    // The start is no longer in the minute that the metric covers.
    await load(61_000 * Math.max(scale, 1));
    const headers = { authorization: `Bearer ${adminKey}` };
    const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
    const late = lateOf(metrics, 0.999);
    const idleLate = Number(await (await fetch(`${idle.url}/late?of=${eventLoopTurns}`)).text());
    await Promise.all([gateway.stop(), idle.stop()]);
    upstream.stop();
    return { measured: `${ms(late)}; an idle process ${ms(idleLate)}`, holds: late < 20 + idleLate };
  },
};

function lateOf(metrics: string, quantile: number): number {
  const line = new RegExp(`^turnpike_event_loop_delay_seconds\\{quantile="${quantile}"\\} (\\S+)$`, "m").exec(metrics);
  return line === null ? Number.POSITIVE_INFINITY : Number(line[1]) * 1_000;
}

const largeObjects: Check = {
  name: "bombs",
  bar: "B20",
  promise:
    "JSON that is deep or has a million members is refused, and others wait at most 20 ms longer (p99) meanwhile",
  async run(scale) {
    const upstream = startUpstream({ delayMs: 10 });
    const gateway = await startGateway(upstream);
    const members = Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":1`).join(",");
    const bombs = [`{"a":${"[".repeat(5_000_000)}`, `{"model":"far/m","messages":[],${members}}`];
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const healthy = (): Promise<Answered[]> => atRate(50, 4_000 * scale, () => ask(gateway.url, "far/m"));
    await healthy();
    const before = p99Of(await healthy());
    let status = 0;
    const bomb = atRate(2, 4_000 * scale, async (n) => {
      const body = bombs[n % bombs.length] ?? "";
      status = Math.max(
        status,
        (await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body })).status,
      );
    });
    const [during] = await Promise.all([healthy(), bomb]);
    await gateway.stop();
    upstream.stop();
    const p99 = p99Of(during);
    return { measured: `${ms(before)} before, ${ms(p99)} during`, holds: status === 400 && p99 <= before + 20 };
  },
};

export const trafficChecks: readonly Check[] = [
  hungUpstream,
  leavingClients,
  overload,
  failingUpstream,
  withoutKey,
  largeObjects,
  eventLoop,
];
