// Notices that an address accepts no connections while a request to it waits: the runtime's fetch has no timeout for
// connecting, and does not report when it has connected.
import { LiveList, type Member } from "../../lib/live-list.ts";
import { createSharedInterval } from "../../lib/shared-interval.ts";

/** A host and port. */
interface Host {
  readonly origin: string;
  /** When it last responded or accepted a connection. */
  provenMs: number;
  isTried: boolean;
}

/** A request that waits for the first byte of its response. */
interface Waiting extends Member {
  readonly host: Host;
  readonly sentMs: number;
  readonly connectMs: number;
  lost(): void;
}

interface ConnectionWatch {
  /** Calls `lost` once when this URL's host has sent nothing for so long, and accepts no other connection either. */
  begin(url: string, connectMs: number, lost: () => void): Waiting;
  /** The request has a response, or none is expected any more. */
  end(waiting: Waiting, hasAnswered: boolean): void;
}

const lookEveryMs = 100;
const maxHosts = 1_000;

export function originOf(url: string): string {
  const end = url.indexOf("/", "https://".length);
  return end < 0 ? url : url.slice(0, end);
}

/** Whether a host accepts a connection within this time. A refusal is an answer too. */
async function accepts(origin: string, withinMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(origin);
  const isOpen = Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
    socket: { open: (socket) => socket.terminate(), data: () => undefined, error: () => undefined },
  }).then(
    () => true,
    (thrown: unknown) => Object(thrown).code !== "ETIMEDOUT",
  );
  return Promise.race([isOpen, Bun.sleep(withinMs).then(() => false)]);
}

/** In the second half of its time, a request without a response has its host tried: at most one try for each host. */
export function createConnectionWatch(): ConnectionWatch {
  const hosts = new Map<string, Host>();
  const waiting = new LiveList<Waiting>();
  const interval = createSharedInterval(lookEveryMs);
  const tryHost = async (host: Host, withinMs: number): Promise<void> => {
    const beganMs = performance.now();
    host.isTried = true;
    const isOpen = await accepts(host.origin, withinMs).catch(() => true);
    host.isTried = false;
    if (isOpen) {
      host.provenMs = performance.now();
      return;
    }
    waiting.each((each) => {
      if (each.host !== host || host.provenMs >= each.sentMs || each.sentMs + each.connectMs / 2 > beganMs) return;
      waiting.remove(each);
      each.lost();
    });
  };
  const look = (): void => {
    if (waiting.size === 0) interval.unsubscribe(look);
    const nowMs = performance.now();
    waiting.each(({ host, sentMs, connectMs }) => {
      const isDoubtful = host.provenMs < sentMs && nowMs - sentMs >= connectMs / 2;
      if (isDoubtful && !host.isTried) void tryHost(host, connectMs / 2);
    });
  };
  const hostOf = (url: string): Host => {
    const origin = originOf(url);
    const found = hosts.get(origin);
    if (found !== undefined) return found;
    const made = { origin, provenMs: Number.NEGATIVE_INFINITY, isTried: false };
    if (hosts.size >= maxHosts) hosts.clear();
    hosts.set(origin, made);
    return made;
  };
  return {
    begin(url, connectMs, lost) {
      const begun: Waiting = { host: hostOf(url), sentMs: performance.now(), connectMs, lost };
      waiting.add(begun);
      interval.subscribe(look);
      return begun;
    },
    end(begun, hasAnswered) {
      waiting.remove(begun);
      if (hasAnswered) begun.host.provenMs = performance.now();
    },
  };
}
