// A configured provider behind HTTP: entry in, something that can be asked out.
import { refusalError } from "../dialects/upstream-error.ts";
import type { ListedModel, Provider, ProviderEntry, Shipment } from "./provider.ts";
import { send } from "./upstream.ts";

const join = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, "")}/${path}`;

async function list(
  entry: ProviderEntry,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ListedModel[]> {
  const listing = entry.kind.listing;
  if (listing === undefined) return [];
  const request = { method: "GET", url: join(entry.baseUrl, listing.path), headers, signal } as const;
  const response = await send({ ...request, ...(entry.proxy === undefined ? {} : { proxy: entry.proxy }) });
  if (!response.ok)
    throw refusalError({ status: response.status, message: "The provider refused to list its models." });
  return listing.read(await response.json());
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
  return {
    name: entry.name,
    kind: entry.kind.kind,
    origin: entry.kind.origin,
    dialects: entry.kind.dialects,
    options: entry.kind.options ?? {},
    models: entry.models,
    timeouts: entry.timeouts,
    send: ({ call, signal }: Shipment) =>
      send({
        method: "POST",
        url: join(entry.baseUrl, call.path),
        headers: call.headers === undefined ? posting : { ...posting, ...call.headers },
        body: JSON.stringify(call.body),
        signal,
        ...(entry.proxy === undefined ? {} : { proxy: entry.proxy }),
      }),
    ...(entry.kind.listing === undefined ? {} : { list: (signal) => list(entry, base, signal) }),
  };
}
