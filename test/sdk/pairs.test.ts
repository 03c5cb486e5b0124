// Every pair of client format and upstream dialect, for every feature, through the official SDK of the client.
import { describe, expect, test } from "bun:test";
import { rows } from "../http/rows.ts";
import { surfaces } from "../support/http-client.ts";
import { type Client, clients, type Feature, features, stopText } from "../translation-matrix/clients.ts";
import { type ExpectedReply, expectedReply, type Far, fars, scriptOf } from "../translation-matrix/upstreams.ts";
import { callers, type Understood } from "./callers.ts";
import { setting, thrownBy } from "./setting.ts";

const sdks = await setting();
const served = clients.filter(({ name }) => rows.some(({ path }) => path === surfaces[name].path) || name === "gemini");
const cells = served.flatMap((client) =>
  fars.flatMap((far) =>
    features.flatMap((feature) => [false, true].map((stream) => ({ client, far, feature, stream }))),
  ),
);

/** What the client may ask of it: extras of other servers that text completions do not type are left to the sockets. */
function bodyOf(client: Client, far: Far, feature: Feature, stream: boolean) {
  return { ...client.base, ...client.asks[feature], ...(stream ? client.streams : {}), model: far.model };
}

const isError = (feature: Feature) => feature.startsWith("error");

/** What docs/conformance.md calls refused. */
function isRefused(client: Client, far: Far, feature: Feature): boolean {
  if (feature === "log probabilities") return far.speaks === "anthropic-messages" && client.reads.logprobs;
  return feature === "structured output" && client.name === "completions";
}

describe("through the SDKs", () => {
  const named = cells.map((cell) => ({
    ...cell,
    name: `${cell.client.name} on ${cell.far.speaks}: ${cell.feature}, ${cell.stream ? "streamed" : "whole"}`,
  }));

  const answered = named.filter(({ client, far, feature }) => !isError(feature) && !isRefused(client, far, feature));

  test.each(answered)("$name", async ({ client, far, feature, stream }) => {
    sdks.world.upstreams[far.at].on("*", scriptOf(far, feature, stream, Promise.resolve()));
    const understood = await callers[client.name](sdks, bodyOf(client, far, feature, stream), stream);
    checkUnderstood(client, far, feature, understood);
  });

  const refused = named.filter(({ client, far, feature }) => isRefused(client, far, feature));

  test.each(refused)("$name", async ({ client, far, feature, stream }) => {
    const thrown = await thrownBy(callers[client.name](sdks, bodyOf(client, far, feature, stream), stream));
    expect(thrown).toMatchObject({ status: 400 });
  });

  test.each(named.filter(({ feature }) => isError(feature)))("$name", async ({ client, far, feature, stream }) => {
    sdks.world.upstreams[far.at].on("*", scriptOf(far, feature, stream, Bun.sleep(15)));
    const thrown = await thrownBy(callers[client.name](sdks, bodyOf(client, far, feature, stream), stream));
    expect(thrown).toBeInstanceOf(Error);
    expect(String((thrown as Error).message)).toMatch(/\S/);
    if (feature === "error before") expect(thrown).toMatchObject({ status: 429 });
  });
});

function checkUnderstood(client: Client, far: Far, feature: Feature, understood: Understood): void {
  const expected: ExpectedReply = expectedReply(far, feature);
  const isCut = feature === "stop" && far.speaks === "openai-responses" && client.speaks !== far.speaks;
  const text = isCut ? expected.text.slice(0, expected.text.indexOf(stopText)) : expected.text;
  if (expected.end === "refusal") expect(understood.stop).toMatch(client.stops.refusal);
  else expect(understood.text).toBe(text);
  if (client.reads.calls && expected.calls) expect(understood.calls).toEqual(expected.calls);
  if (client.reads.thinking && feature === "thinking") expect(understood.thinking).toBe(expected.thinking ?? "");
  if (understood.logprobs !== undefined) expect(understood.logprobs).toEqual(expected.logprobs ?? []);
  if (expected.end === "length") expect(understood.stop).toBe(client.stops.length);
}
