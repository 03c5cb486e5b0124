// The laws hold for an honest toy dialect, and each catches the lie that it is there for.
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ChatRequest, ChatResponse } from "../../src/canonical/chat.ts";
import { GatewayError } from "../../src/canonical/error.ts";
import type { StreamEvent } from "../../src/canonical/stream-event.ts";
import { streamEventsOf } from "../../src/canonical/stream-event.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { type Frame, formatFrame } from "../../src/lib/sse.ts";
import { answers, asks, type Can, streams } from "./arbitraries.ts";
import * as laws from "./laws.ts";

type Toy = Dialect<ChatRequest, ChatResponse>;
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
const frameOf = (event: StreamEvent): Frame => ({ data: JSON.stringify(event) });
const deltaOf = (frame: Frame) => JSON.parse(frame.data) as StreamEvent;

/** Its wire is canon itself; `lie` replaces parts. */
function toy(
  lie: { request?: Partial<Toy["request"]>; response?: Partial<Toy["response"]>; stream?: Partial<Stream> } = {},
): Toy {
  const request = {
    schema: {},
    parse: (wire: JsonObject) => wire as unknown as ChatRequest,
    render: (canonicalRequest: ChatRequest) => ({
      call: { path: "toy", body: wireOf(canonicalRequest) },
      warnings: [],
    }),
    fieldPath: (field: string) => field,
  };
  const response = {
    parse: (wire: unknown) => wire as ChatResponse,
    render: (canonicalResponse: ChatResponse) => wireOf(canonicalResponse),
  };
  const stream: Stream = {
    reader() {
      let isOver = false;
      return {
        read(frame) {
          const event = deltaOf(frame);
          isOver ||= event.type === "finish";
          return [event];
        },
        end: () => (isOver ? [] : [{ type: "error", error: new GatewayError("upstream_protocol_error", "cut") }]),
      };
    },
    writer: () => ({ write: (event) => [frameOf(event)] }),
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

const canonicalRequest = fc.sample(asks, { numRuns: 1, seed: 1 })[0] as ChatRequest;
const wires = streams(can).map((events) => events.map((event) => formatFrame(frameOf(event))).join(""));
const [answer] = fc.sample(answers(can), { numRuns: 1, seed: 7 }) as [ChatResponse];
const answerEvents = [...streamEventsOf(answer)];
const answerWire = answerEvents.map((event) => formatFrame(frameOf(event))).join("");

const applied: Record<string, (dialect: Toy) => void> = {
  requestsRoundTrip: (dialect) => laws.requestsRoundTrip(dialect, asks),
  answersRoundTrip: (dialect) => laws.answersRoundTrip(dialect, answers(can), canonicalRequest),
  streamsRoundTrip: (dialect) => laws.streamsRoundTrip(dialect, streams(can), canonicalRequest),
  cutsDoNotMatter: (dialect) => laws.cutsDoNotMatter(dialect, wires, { numRuns: 20 }),
  streamEqualsWhole: (dialect) => laws.streamEqualsWhole(dialect, answerWire, wireOf(answer), []),
  cutStreamIsNoFinish: (dialect) => laws.cutStreamIsNoFinish(dialect, answerEvents.map(frameOf), answerEvents.length),
};

test.each(Object.entries(applied))("%s holds for the honest", (_name, law) => {
  law(toy());
});

const readerThat = (read: (frame: Frame) => StreamEvent[]): Partial<Stream> => ({
  reader: () => ({ read, end: () => [] }),
});
const finish: StreamEvent = { type: "finish", finishReasons: [] };

const lies: [law: string, lie: string, dialect: Toy][] = [
  [
    "requestsRoundTrip",
    "forgets stops",
    toy({ request: { parse: (wire) => ({ ...(wire as unknown as ChatRequest), stopSequences: [] }) } }),
  ],
  ["answersRoundTrip", "renames the model", toy({ response: { render: (one) => wireOf({ ...one, model: "other" }) } })],
  [
    "streamsRoundTrip",
    "loses closes",
    toy({ stream: readerThat((frame) => [deltaOf(frame)].filter(({ type }) => type !== "block-end")) }),
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
