// Usage that cannot be true in a stream that is passed on: the client is told what is charged, and everything else stays as it came.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { clearUpstreams, startUpstreams, startWorld, stopWorld } from "../support/fixture-gateway.ts";
import { type Call, make } from "../support/http-client.ts";
import { ledgerRows, settledRow } from "../support/ledger.ts";
import { collectBy } from "../support/stream-writers.ts";
import { upstreamWires } from "./wires.ts";

const world = await startWorld(await startUpstreams());
beforeEach(() => clearUpstreams(world.upstreams));
afterAll(() => stopWorld(world));

const clients = { alpha: "chat", claude: "messages", google: "gemini" } as const;
const members = /"(?:usage|usageMetadata)":(\{.*?\})[,}]/;

describe.each(upstreamWires)("$provider", (wire) => {
  const client = clients[wire.upstream as keyof typeof clients];
  const call: Call = {
    to: client,
    body: {
      model: wire.model,
      stream: true,
      ...(client === "chat" ? { stream_options: { include_usage: true } } : {}),
    },
  };

  test.each([
    ["negative", [5, -7], "together"],
    ["text", ["many", 7], "together"],
    ["absurd", [1e15, 7], "together"],
    ["nothing", [0, 0], "together"],
    ["no input", [0, 7], "one by one"],
    ["negative", [-5, 7], "one by one"],
  ] as const)(
    "%s, %p, %s",
    async (_kind, usage, packets) => {
      const { opening, pieces, finish, end } = wire.stages(["Once upon ", "a time."], usage);
      const frames = [...opening, ...pieces, ...finish, ...end];
      world.upstreams[wire.upstream].on(
        "*",
        packets === "together" ? { frames: [frames.join("")] } : { frames, gapMs: 20 },
      );
      const before = ledgerRows(world.gateway.dataFolder).length;
      const { received } = await make(call, world);
      const row = await settledRow(world.gateway.dataFolder, before);
      expect(row).toMatchObject({ state: "completed", estimated: true });
      expect(received === null ? "" : collectBy[client](received).text).toBe("Once upon a time.");
      const result =
        received?.frames.map(({ data }) => members.exec(JSON.stringify(data))?.[1]).findLast(Boolean) ?? "";
      expect(result).toMatch(new RegExp(`(?:prompt_tokens|input_tokens|promptTokenCount)":${row.inputTokens}\\b`));
      expect(result).toMatch(
        new RegExp(`(?:completion_tokens|output_tokens|candidatesTokenCount)":${row.outputTokens}\\b`),
      );
      // Nothing but the usage has changed.
      const bare = (text: string): string => text.replaceAll(/"usage(?:Metadata)?":\{.*\}/g, "").replaceAll(/\s/g, "");
      expect(bare(received?.text ?? "")).toBe(bare(frames.join("")));
    },
    60_000,
  );
});
