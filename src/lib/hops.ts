// The hop count: how many gateways a request has passed through, so that one that leads back to itself is noticed.

/** Set on every outgoing request, and counted up from the one that came in. */
export const hopsHeader = "x-turnpike-hops";

/** A request that has passed through so many gateways is refused by the next one. */
export const maxHops = 3;

/** What every outgoing request carries, unless a request that came in says more. */
export const firstHop: Readonly<Record<string, string>> = { [hopsHeader]: "1" };

/** How many gateways a request has passed through before this one; anything but digits counts as none. */
export function hopsOf(header: string | null): number {
  return header !== null && /^\d+$/.test(header) ? Number(header) : 0;
}

/** A call that a client's request has caused, with the count of that request (its header) behind it. */
export function withNextHop<Call extends { readonly headers?: Readonly<Record<string, string>> }>(
  call: Call,
  header: string | null,
): Call {
  const hops = hopsOf(header);
  return hops === 0 ? call : { ...call, headers: { ...call.headers, [hopsHeader]: String(hops + 1) } };
}
