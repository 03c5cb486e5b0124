// The hop count: how many gateways a request has passed through, to detect a request that leads back to itself.

/** Sent with every outgoing request, incremented from the incoming one. */
export const hopsHeader = "x-turnpike-hops";

/** A gateway refuses a request that has passed through so many gateways. */
export const maxHops = 3;

/** The header of every outgoing request, unless the incoming one had a higher count. */
export const firstHop: Readonly<Record<string, string>> = { [hopsHeader]: "1" };

/** How many gateways a request has passed through before this one; anything but digits counts as none. */
export function hopsOf(header: string | null): number {
  return header !== null && /^\d+$/.test(header) ? Number(header) : 0;
}

/** A call for a client's request, with the incremented count of that request's header. */
export function withNextHop<Call extends { readonly headers?: Readonly<Record<string, string>> }>(
  call: Call,
  header: string | null,
): Call {
  const hops = hopsOf(header);
  return hops === 0 ? call : { ...call, headers: { ...call.headers, [hopsHeader]: String(hops + 1) } };
}
