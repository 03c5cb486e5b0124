// Discovers local servers: requests the model list once from each usual port.
import { hopsHeader, maxHops } from "../lib/hops.ts";
import { isObject } from "../lib/json.ts";
import { presets } from "./presets.ts";
import type { HttpEntry, HttpKind } from "./provider.ts";
import type { ResponseHeaders } from "./transport/headers.ts";
import { createSend, type Send } from "./upstream.ts";

/** A provider kind and its usual port. */
export interface LocalPlace {
  readonly kind: HttpKind;
  readonly port: number;
}

export interface DiscoverOptions {
  /** The gateway's own address, which is skipped. */
  readonly self: { readonly host: string; readonly port: number };
  readonly places?: readonly LocalPlace[];
  readonly timeoutMs?: number;
  readonly send?: Send;
}

export const localPlaces: readonly LocalPlace[] = presets.flatMap((kind) =>
  kind.localPort === undefined ? [] : [{ kind, port: kind.localPort }],
);

const loopback = "127.0.0.1";
const patienceMs = 300;
/** A gateway refuses a request with so many hops; model servers ignore the header. */
const probeHeaders = { "accept-encoding": "identity", [hopsHeader]: String(maxHops) };

/** Whether a listener on this host accepts connections to the loopback address. */
function coversLoopback(host: string): boolean {
  return /^(?:127\.|0\.0\.0\.0$|::1?$|localhost$)/.test(host);
}

/** The headers of a gateway's own responses. A returned id proves nothing: some model servers return it too. */
const isMarked = (headers: ResponseHeaders): boolean => [...headers].some(([name]) => name.startsWith("x-turnpike-"));

/** An empty list counts: the server is running, and its models may be added later. */
async function listsModels(url: string, send: Send, timeoutMs: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await send({ method: "GET", url: `${url}/models`, headers: probeHeaders, signal });
    if (!response.ok || isMarked(response.headers)) return false;
    const body: unknown = await response.json();
    return isObject(body) && body.object === "list" && (Array.isArray(body.data) || body.data === null);
  } catch {
    // No server, or no compatible one in time, is the usual case.
    return false;
  }
}

/** Entries for the local servers that answered, in the order of the table. Never rejects. */
export async function discover(options: DiscoverOptions): Promise<HttpEntry[]> {
  const { self, places = localPlaces, timeoutMs = patienceMs, send = createSend() } = options;
  const others = places.filter(({ port }) => port !== self.port || !coversLoopback(self.host));
  const found = await Promise.all(
    others.map(async ({ kind, port }): Promise<HttpEntry[]> => {
      const baseUrl = `http://${loopback}:${port}/v1`;
      if (!(await listsModels(baseUrl, send, timeoutMs))) return [];
      const credential = null;
      return [{ name: kind.name, kind, baseUrl, credential, models: null, headers: {}, timeouts: {} }];
    }),
  );
  return found.flat();
}
