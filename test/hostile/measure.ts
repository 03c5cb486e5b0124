// How long a request keeps the event loop of a gateway, in that thread's own computing time.
import type { ChildGateway } from "../support/gateway.ts";
import type { HostileBody } from "./bodies.ts";

/** What no request may take at once. */
export const boundMs = 20;

async function send({ url, key }: ChildGateway, { path, headers, body }: HostileBody): Promise<number> {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...headers },
    body,
  });
  await answer.bytes();
  return answer.status;
}

/** The least of some measurements: collecting garbage of earlier requests, and compiling, are not this work's doing. */
export async function leastTurnMs(gateway: ChildGateway, rounds: number, work: () => Promise<void>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && leastMs > boundMs; round++) {
    await gateway.longestTurnMs();
    await work();
    leastMs = Math.min(leastMs, await gateway.longestTurnMs());
  }
  return leastMs;
}

export const turnMs = (gateway: ChildGateway, body: HostileBody): Promise<number> =>
  leastTurnMs(gateway, 8, async () => void (await send(gateway, body)));
