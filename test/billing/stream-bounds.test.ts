// A stream without an end of its own gets one from the gateway: by its time, its bytes or its output. The client is told, and what was delivered is booked.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { clearUpstreams, configuration, startUpstreams, type World } from "../support/fixture-gateway.ts";
import { gateway } from "../support/gateway.ts";
import { make } from "../support/http-client.ts";
import { settledRow } from "../support/ledger.ts";
import { upstreamWires } from "./wires.ts";

const upstreams = await startUpstreams();
beforeEach(() => clearUpstreams(upstreams));
afterAll(async () => {
  await Promise.all(Object.values(upstreams).map((each) => each.stop()));
});

const [alpha] = upstreamWires as unknown as [(typeof upstreamWires)[number]];
const sentence = "Once upon a time there was a lighthouse on a rock. ";

interface Bound {
  readonly limit: string;
  readonly piece: string;
  readonly gapMs: number;
  readonly code: string;
  /** What a client may have been given: less than the next look at the stream would have let through. */
  readonly leastTokens: number;
}

const bounds: readonly Bound[] = [
  { limit: "stream_ms: 1_000", piece: sentence, gapMs: 50, code: "upstream_timeout", leastTokens: 11 },
  {
    limit: "stream_bytes: 65_536",
    piece: sentence.repeat(40),
    gapMs: 2,
    code: "upstream_protocol_error",
    leastTokens: 5_000,
  },
  {
    limit: "stream_output_tokens: 1_000",
    piece: sentence,
    gapMs: 5,
    code: "upstream_protocol_error",
    leastTokens: 950,
  },
];

async function worldOf(limit: string): Promise<World> {
  const [name = "", value = ""] = limit.split(": ");
  const yaml = `limits: { ${name}: ${value.replace("_", "")} }\n${configuration(upstreams)}`;
  return { upstreams, gateway: await gateway({ yaml, heartbeatMs: 1_500 }) };
}

describe.each(bounds)("limits.$limit", ({ limit, piece, gapMs, code, leastTokens }) => {
  test.each(["chat", "messages"] as const)(
    "as %s",
    async (client) => {
      const { opening, pieces } = alpha.stages(Array<string>(4_000).fill(piece), undefined);
      upstreams.alpha.on("*", { frames: [...opening, ...pieces], gapMs, ending: "hang" });
      const world = await worldOf(limit);
      const { received } = await make({ to: client, body: { model: alpha.model, stream: true } }, world);
      const [name] = limit.split(":");
      expect(received?.status).toBe(200);
      expect(received?.ending).toBe("whole");
      expect(JSON.stringify(received?.frames.at(-1))).toContain(`limits.${name}`);
      await (await upstreams.alpha.seen(0)).aborted;
      const row = await settledRow(world.gateway.dataFolder, 0);
      expect(row).toMatchObject({ state: "failed", errorCode: code, estimated: true, charged: true });
      expect(row.inputTokens).toBeGreaterThan(0);
      const delivered = (received?.text.split("lighthouse").length ?? 1) - 1;
      expect(row.outputTokens).toBeGreaterThan(leastTokens);
      expect(row.outputTokens / (delivered * 11)).toBeWithin(0.8, 1.3);
      await world.gateway.stop();
    },
    60_000,
  );
});
