// A process that is killed in the middle of a stream: the next one finds the row, with the figures that were there.
import { afterAll, beforeEach, expect, test } from "bun:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import fixtures from "../fixtures/tokens/texts.json";
import { clearUpstreams, configuration, startUpstreams } from "../support/fixture-gateway.ts";
import { gateway, spawnGateway } from "../support/gateway.ts";
import { make } from "../support/http-client.ts";
import { type LedgerRow, ledgerRows } from "../support/ledger.ts";
import { until } from "../support/until.ts";
import { upstreamWires } from "./wires.ts";

const upstreams = await startUpstreams();
beforeEach(() => clearUpstreams(upstreams));
afterAll(async () => {
  await Promise.all(Object.values(upstreams).map((each) => each.stop()));
});

const [alpha] = upstreamWires as unknown as [(typeof upstreamWires)[number]];
const prompt = fixtures["english-letter"];
const english = fixtures["english-technical"].text;

/** Streams half a reply from an upstream that then is silent, kills the gateway when `when` holds of the open row, and starts another. */
async function rowOfKilled(when: (row: LedgerRow, hasReceived: boolean) => boolean): Promise<LedgerRow> {
  const { opening, pieces } = alpha.stages([english], undefined);
  upstreams.alpha.on("*", { frames: [...opening, ...pieces], ending: "hang" });
  const yaml = configuration(upstreams);
  const doomed = await spawnGateway({ yaml });
  let hasReceived = false;
  const onFirst = () => {
    hasReceived = true;
  };
  const body = { model: alpha.model, stream: true, messages: [{ role: "user", content: prompt.text }] };
  const call = make({ to: "chat", body, onFirst }, { upstreams, gateway: doomed });
  await until("the row is as it should be", () => ledgerRows(doomed.dataFolder).some((row) => when(row, hasReceived)));
  await doomed.kill();
  await call;
  const next = await gateway({ yaml, dataFolder: doomed.dataFolder });
  const [row] = ledgerRows(doomed.dataFolder);
  await next.stop();
  await doomed.stop();
  return row as LedgerRow;
}

const interrupted = { state: "interrupted", errorCode: "interrupted", estimated: true, charged: true };

test("before any progress: the quick estimate of the input", async () => {
  const row = await rowOfKilled((_row, hasReceived) => hasReceived);
  expect(row).toMatchObject({ ...interrupted, outputTokens: 0, provider: null });
  expect(row.inputTokens / prompt.tokens.o200k).toBeWithin(0.8, 1.2);
  expect(row.inputBound).toBeGreaterThanOrEqual(prompt.tokens.o200k);
}, 90_000);

test("after a note of progress: also what had been delivered, and by whom", async () => {
  const row = await rowOfKilled(({ outputTokens }) => outputTokens > 0);
  expect(row).toMatchObject({ ...interrupted, provider: "alpha", upstreamModel: alpha.model });
  expect(row.inputTokens / prompt.tokens.o200k).toBeWithin(0.8, 1.2);
  expect(row.outputTokens / countTokens(english)).toBeWithin(0.8, 1.2);
}, 90_000);
