// The laws hold for an honest toy dialect, and each catches the lie that it is there for.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ChatAnswer, ChatAsk } from "../../src/canonical/chat.ts";
import { GatewayError } from "../../src/canonical/error.ts";
import type { Delta } from "../../src/canonical/stream-event.ts";
import { replay } from "../../src/canonical/stream-event.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { type Frame, formatFrame } from "../../src/lib/sse.ts";
import { answers, asks, type Can, streams } from "./arbitraries.ts";
import * as laws from "./laws.ts";

type Toy = Dialect<ChatAsk, ChatAnswer>;
type Stream = NonNullable<Toy["stream"]>;

const can: Can = {
  thinking: true,
  signature: true,
  choices: true,
  createdAt: true,
  cacheWrite: true,
  reasoningTokens: true,
  stops: ["end", "length"],
};

const wireOf = (value: object) => ({ ...value }) as unknown as JsonObject;
const frameOf = (delta: Delta): Frame => ({ data: JSON.stringify(delta) });
const deltaOf = (frame: Frame) => JSON.parse(frame.data) as Delta;

/** Its wire is canon itself; `lie` replaces parts. */
function toy(
  lie: { request?: Partial<Toy["request"]>; response?: Partial<Toy["response"]>; stream?: Partial<Stream> } = {},
): Toy {
  const request = {
    schema: {},
    parse: (wire: JsonObject) => wire as unknown as ChatAsk,
    render: (ask: ChatAsk) => ({ call: { path: "toy", body: wireOf(ask) }, warnings: [] }),
    fieldPath: (field: string) => field,
  };
  const response = { parse: (wire: unknown) => wire as ChatAnswer, render: (answer: ChatAnswer) => wireOf(answer) };
  const stream: Stream = {
    reader() {
      let isOver = false;
      return {
        read(frame) {
          const delta = deltaOf(frame);
          isOver ||= delta.type === "finish";
          return [delta];
        },
        end: () => (isOver ? [] : [{ type: "error", error: new GatewayError("upstream_protocol_error", "cut") }]),
      };
    },
    writer: () => ({ write: (delta) => [frameOf(delta)] }),
    heartbeat: () => "",
  };
  return {
    name: "toy",
    operation: "chat",
    request: { ...request, ...lie.request },
    response: { ...response, ...lie.response },
    stream: { ...stream, ...lie.stream },
  } as unknown as Toy;
}

const ask = fc.sample(asks, { numRuns: 1, seed: 1 })[0] as ChatAsk;
const wires = streams(can).map((deltas) => deltas.map((delta) => formatFrame(frameOf(delta))).join(""));
const [answer] = fc.sample(answers(can), { numRuns: 1, seed: 7 }) as [ChatAnswer];
const said = [...replay(answer)];
const saidWire = said.map((delta) => formatFrame(frameOf(delta))).join("");

const applied: Record<string, (dialect: Toy) => void> = {
  requestsRoundTrip: (dialect) => laws.requestsRoundTrip(dialect, asks),
  answersRoundTrip: (dialect) => laws.answersRoundTrip(dialect, answers(can), ask),
  streamsRoundTrip: (dialect) => laws.streamsRoundTrip(dialect, streams(can), ask),
  cutsDoNotMatter: (dialect) => laws.cutsDoNotMatter(dialect, wires, { numRuns: 20 }),
  streamEqualsWhole: (dialect) => laws.streamEqualsWhole(dialect, saidWire, wireOf(answer), []),
  cutStreamIsNoFinish: (dialect) => laws.cutStreamIsNoFinish(dialect, said.map(frameOf), said.length),
};

test.each(Object.entries(applied))("%s holds for the honest", (_name, law) => {
  law(toy());
});

const readerThat = (read: (frame: Frame) => Delta[]): Partial<Stream> => ({ reader: () => ({ read, end: () => [] }) });
const finish: Delta = { type: "finish", stops: [] };

const lies: [law: string, lie: string, dialect: Toy][] = [
  [
    "requestsRoundTrip",
    "forgets stops",
    toy({ request: { parse: (wire) => ({ ...(wire as unknown as ChatAsk), stop: [] }) } }),
  ],
  ["answersRoundTrip", "renames the model", toy({ response: { render: (one) => wireOf({ ...one, model: "other" }) } })],
  [
    "streamsRoundTrip",
    "loses closes",
    toy({ stream: readerThat((frame) => [deltaOf(frame)].filter(({ type }) => type !== "block-close")) }),
  ],
  [
    "cutsDoNotMatter",
    "never finishes",
    toy({ stream: readerThat((frame) => [deltaOf(frame)].filter(({ type }) => type !== "finish")) }),
  ],
  ["streamEqualsWhole", "says all twice", toy({ stream: readerThat((frame) => [deltaOf(frame), deltaOf(frame)]) })],
  [
    "cutStreamIsNoFinish",
    "invents an end",
    toy({ stream: { reader: () => ({ read: (frame) => [deltaOf(frame)], end: () => [finish] }) } }),
  ],
];

test.each(lies)("%s catches a dialect that %s", (law, _lie, dialect) => {
  expect(() => applied[law]?.(dialect)).toThrow();
});
