// A configured provider behind HTTP: entry in, something that can be asked out.
import type { Call } from "../dialects/dialect.ts";
import { refusalError } from "../dialects/upstream-error.ts";
import { mendedResponse } from "./mended.ts";
import type { ListedModel, Provider, ProviderEntry, Shipment } from "./provider.ts";
import { send } from "./upstream.ts";

/** Shorter words would take ordinary ones with them. */
const shortestHidden = 6;

const join = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, "")}/${path}`;

/** The address below which all paths lie: a bare host is completed as the provider's own SDK does it. */
export function baseOf({ kind, baseUrl }: Pick<ProviderEntry, "kind" | "baseUrl">): string {
  if (kind.barePath === undefined || new URL(baseUrl).pathname !== "/") return baseUrl;
  return join(baseUrl, kind.barePath);
}

async function list(
  entry: ProviderEntry,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const listing = entry.kind.listing;
  if (listing === undefined) return [];
  const request = { method: "GET", url: join(baseOf(entry), listing.path), headers, signal } as const;
  const response = await send({ ...request, ...(entry.proxy === undefined ? {} : { proxy: entry.proxy }) });
  if (!response.ok)
    throw refusalError({ status: response.status, message: "The provider refused to list its models." });
  return listing.read(await response.json());
}

/** Takes what only this entry can know out of a text: its credential, and the host that it asks. */
function concealing(entry: ProviderEntry): (text: string) => string {
  const { host } = new URL(entry.baseUrl);
  const secret = entry.credential?.reveal() ?? "";
  const hidden = [secret, host].filter((text) => text.length >= shortestHidden);
  return (text) => hidden.reduce((safe, word) => safe.replaceAll(word, "[hidden]"), text);
}

/** The credential is read once here; it travels only in headers of requests to this entry's own base URL. */
export function remoteProvider(entry: ProviderEntry): Provider {
  const base: Record<string, string> = {
    "accept-encoding": "identity",
    ...entry.kind.headers,
    ...entry.headers,
    ...(entry.credential === null ? {} : entry.kind.authorize(entry.credential)),
  };
  const posting = { ...base, "content-type": "application/json" };
  const { kind } = entry;
  const baseUrl = baseOf(entry);
  const post = (call: Call, signal: AbortSignal): Promise<Response> =>
    send({
      method: "POST",
      url: join(baseUrl, call.path),
      headers: call.headers === undefined ? posting : { ...posting, ...call.headers },
      body: JSON.stringify(call.body),
      signal,
      ...(entry.proxy === undefined ? {} : { proxy: entry.proxy }),
    });
  const mendCall = (call: Call): Call => kind.mendCall?.(call) ?? call;
  const { mendReply } = kind;
  return {
    name: entry.name,
    kind: kind.kind,
    origin: kind.origin,
    dialects: kind.dialects,
    ...(kind.speaks === undefined ? {} : { speaks: kind.speaks }),
    options: kind.options ?? {},
    models: entry.models,
    timeouts: entry.timeouts,
    conceal: concealing(entry),
    send:
      mendReply === undefined
        ? ({ call, signal }: Shipment) => post(mendCall(call), signal)
        : async ({ call, signal }: Shipment) => mendedResponse(await post(mendCall(call), signal), mendReply),
    ...(entry.kind.listing === undefined ? {} : { list: (signal) => list(entry, base, signal) }),
  };
}
