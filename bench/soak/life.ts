// Bars of a gateway's life: restarts under load, the time until it has stopped, memory over many streams.
import {
  type Answered,
  ask,
  atRate,
  type Check,
  type Gateway,
  key,
  residentMegabytes,
  startGateway,
  startUpstream,
  type Upstream,
  wordsPerStream,
} from "./setting.ts";

const restarts = 10;

/** Sends to an instance that is ready, as a load balancer does that looks at `/readyz`. */
function balancer(instances: (Gateway | null)[]) {
  const ready = new Set<Gateway>();
  const look = async (): Promise<void> => {
    for (const instance of instances) {
      if (instance === null) continue;
      const isReady = await fetch(`${instance.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) ready.add(instance);
      else ready.delete(instance);
    }
  };
  const timer = setInterval(() => void look(), 50);
  return {
    look,
    pick: (n: number): string => [...ready][n % ready.size]?.url ?? "http://127.0.0.1:1",
    isReady: (instance: Gateway): boolean => ready.has(instance),
    forget: (instance: Gateway): void => void ready.delete(instance),
    stop: (): void => clearInterval(timer),
  };
}

async function restartEach(upstream: Upstream, instances: (Gateway | null)[], balance: ReturnType<typeof balancer>) {
  for (let round = 0; round < restarts; round++) {
    const at = round % instances.length;
    const old = instances[at];
    if (old === null || old === undefined) continue;
    await old.end();
    balance.forget(old);
    instances[at] = null;
    await old.stop();
    const fresh = await startGateway(upstream);
    instances[at] = fresh;
    while (!balance.isReady(fresh)) await Bun.sleep(10);
  }
}

const rollingRestarts: Check = {
  name: "restarts",
  bar: "B10",
  promise: `no request of 300 per second (500 with a scale of 10 or more) fails while two instances behind a load balancer are restarted in turn, ${restarts} times`,
  async run(scale) {
    const upstream = startUpstream({ delayMs: 10 });
    const instances: (Gateway | null)[] = [await startGateway(upstream), await startGateway(upstream)];
    const balance = balancer(instances);
    await balance.look();
    let isOver = false;
    const requested: Promise<Answered>[] = [];
    const load = (async () => {
      while (!isOver) {
        const more = await atRate(scale >= 10 ? 500 : 300, 1_000, (n) =>
          ask(balance.pick(n), "far/m", n % 2 === 0 ? { keepalive: false } : {}),
        );
        requested.push(...more.map((each) => Promise.resolve(each)));
      }
    })();
    await restartEach(upstream, instances, balance);
    isOver = true;
    await load;
    balance.stop();
    const all = await Promise.all(requested);
    const failed = all.filter(({ status }) => status !== 200);
    for (const instance of instances) await instance?.stop();
    upstream.stop();
    return { measured: `${failed.length} of ${all.length}`, holds: failed.length === 0 };
  },
};

const stopping: Check = {
  name: "stopping",
  bar: "B21",
  promise:
    "after SIGTERM an idle gateway is gone within 1.5 s, one with 100 streams of 10 s within 12 s, all of them complete",
  async run() {
    const upstream = startUpstream({ paceMs: 1_000 });
    const idle = await startGateway(upstream);
    const idleMs = await idle.end();
    await idle.stop();
    const busy = await startGateway(upstream);
    const streams = Array.from({ length: 100 }, (_, n) => ask(busy.url, `far/slow-${n}`, { stream: true }));
    while (upstream.seen() < streams.length) await Bun.sleep(5);
    const busyMs = await busy.end();
    const complete = (await Promise.all(streams)).filter(({ status }) => status === 200).length;
    await busy.stop();
    upstream.stop();
    const measured = `${(idleMs / 1_000).toFixed(2)} s idle, ${(busyMs / 1_000).toFixed(1)} s with streams, ${complete} of 100 complete`;
    return { measured, holds: idleMs < 1_500 && busyMs < 12_000 && complete === 100 };
  },
};

const memory: Check = {
  name: "memory",
  bar: "B9",
  promise:
    "resident memory grows by less than 20 MB from the first tenth to the end of many streams, half of them aborted",
  async run(scale) {
    const upstream = startUpstream();
    const gateway = await startGateway(upstream);
    const total = Math.round(50_000 * scale);
    const samples: number[] = [];
    let next = 0;
    const client = async (): Promise<void> => {
      for (let n = next++; n < total; n = next++) {
        const leaving = new AbortController();
        if (n % 2 === 1) setTimeout(() => leaving.abort(), 2);
        await ask(gateway.url, `far/m-${n % 50}`, { stream: true, signal: leaving.signal });
        if (n % Math.ceil(total / 20) === 0) samples.push(await residentMegabytes(gateway.pid));
      }
    };
    await Promise.all(Array.from({ length: 32 }, client));
    const growth = Math.min(...samples.slice(-4)) - Math.max(...samples.slice(2, 5));
    await gateway.stop();
    upstream.stop();
    const measured = `${samples.map((each) => each.toFixed(0)).join(", ")} MB over ${total} streams`;
    return { measured, holds: growth < 20 };
  },
};

const crowdSize = 5_000;
const wordsExpected = Array.from({ length: wordsPerStream }, (_, at) => `word-${at + 1} `).join("");

/** The text of a stream, if it has come completely. */
async function wordsOf(url: string, model: string): Promise<string | null> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "hi" }] }),
  });
  const text = await response.text();
  if (!text.endsWith("data: [DONE]\n\n")) return null;
  return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join("");
}

const crowd: Check = {
  name: "crowd",
  bar: "issue 12",
  promise: "5,000 streams at once, an event of each per second: none is lost",
  async run() {
    const upstream = startUpstream({ paceMs: 1_000 });
    const gateway = await startGateway(upstream, `limits: { max_concurrent_requests: ${2 * crowdSize} }\n`);
    const idle = await residentMegabytes(gateway.pid);
    let peak = idle;
    const timer = setInterval(async () => {
      peak = Math.max(peak, await residentMegabytes(gateway.pid));
    }, 500);
    const running: Promise<string | null>[] = [];
    while (running.length < crowdSize) {
      for (let n = 0; n < 100; n++) running.push(wordsOf(gateway.url, "far/m").catch(() => null));
      await Bun.sleep(50);
    }
    const texts = await Promise.all(running);
    clearInterval(timer);
    const whole = texts.filter((text) => text === wordsExpected).length;
    await gateway.stop();
    upstream.stop();
    const each = ((peak - idle) * 1_024) / crowdSize;
    const measured = `${whole} of ${crowdSize} complete and in order; ${idle.toFixed(0)} MB idle, ${peak.toFixed(0)} MB at most, ${each.toFixed(0)} KB each`;
    return { measured, holds: whole === crowdSize };
  },
};

export const lifeChecks: readonly Check[] = [rollingRestarts, stopping, memory, crowd];
