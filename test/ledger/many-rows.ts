// A ledger with many rows of all kinds, and what they are, for readers to be compared with.
import { openLedger } from "../../src/gateway/ledger/ledger.ts";
import type { EndState, LedgerOpening, LedgerSettlement } from "../../src/gateway/ledger/types.ts";
import { opening, settlement, usageOf } from "./samples.ts";

export interface KnownRow {
  readonly opening: LedgerOpening;
  /** Null while it is open. */
  readonly settlement: LedgerSettlement | null;
  /** Tokens of attempts that failed after they were sent. */
  readonly possibleTokens: number;
}

/** A small generator whose numbers are the same in each run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 30, 20);
const states: readonly EndState[] = [
  "completed",
  "completed",
  "completed",
  "failed",
  "cancelled",
  "rejected",
  "replayed",
];

/** Adds rows to the ledger of the folder; some are settled after many others, and some are left open. */
export async function addRows(dataFolder: string, rows: number, seed = 1): Promise<KnownRow[]> {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const ledger = openLedger({ dataFolder });
  const known: KnownRow[] = [];
  const late: (() => Promise<unknown>)[] = [];
  for (let at = 0; at < rows; at++) {
    const given = opening(`${seed}-${at}`, {
      atMs: startMs + Math.floor((at / rows) * 50 * hourMs),
      organization: "default",
      project: pick(["default", "web"]),
      keyId: random(500) === 0 ? "key_rare" : pick(["key_a", "key_b", "key_c"]),
      ...(random(3) === 0 ? { endUser: `user-${random(20)}` } : {}),
      model: pick(["smart", "fast"]),
      operation: pick(["chat", "embed"]),
      session: `session-${at % 40}`,
    });
    const entry = await ledger.open(given);
    if (random(200) === 0) {
      known.push({ opening: given, settlement: null, possibleTokens: 0 });
      continue;
    }
    const cost = random(4) === 0 ? null : BigInt(random(1_000));
    const state = pick(states);
    const end = settlement({
      state,
      provider: random(5) === 0 ? null : pick(["openai", "claude"]),
      usage: usageOf({ inputTokens: random(100), outputTokens: random(100) }),
      charged: random(6) !== 0,
      errorCode: state === "failed" ? pick(["upstream_failed", "upstream_timeout"]) : null,
      costNanoDollars: cost,
      priceNanoDollars: cost,
    });
    const possibleTokens = random(10) === 0 ? 7 : 0;
    const attempt = {
      ...{ number: 9, provider: "openai", upstreamModel: "x", outcome: "possible", errorCode: "upstream_reset" },
      ...{ httpStatus: null, durationMs: 1, possibleInputTokens: possibleTokens },
    };
    known.push({ opening: given, settlement: end, possibleTokens });
    const settle = () => entry.settle(end, possibleTokens === 0 ? [] : [attempt]);
    if (random(50) === 0) late.push(settle);
    else void settle();
    if (late.length > 5) await late.shift()?.();
  }
  await Promise.all(late.map((settle) => settle()));
  await ledger.close();
  return known;
}
