// What the tests of this dialect share: contexts, bodies that pass, and readers of fixtures.
import type { ChatRequest, ChatResponse } from "../../../src/canonical/chat.ts";
import type { StreamEvent } from "../../../src/canonical/stream-event.ts";
import type { RenderContext, RenderedRequest, WriteContext } from "../../../src/dialects/dialect.ts";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { type Frame, formatFrame } from "../../../src/lib/sse.ts";
import { wireText } from "../../support/fixtures.ts";
import { envelopeOf, framesOf, readAll, renderContextOf } from "../../support/laws.ts";
import { plainAsk } from "../../support/sample-requests.ts";

export const dialect = openaiResponses;

export const hello: JsonObject = { model: "m", input: "hi" };

export const parse = (more: JsonObject): ChatRequest => dialect.request.parse({ ...hello, ...more }, envelopeOf());

export const parseInput = (...input: JsonObject[]): ChatRequest => parse({ input });

export const baseAsk = plainAsk;

export function context(more: Partial<RenderContext> = {}): RenderContext {
  return renderContextOf(dialect as never, { fieldPath: (field) => `their.${field}`, ...more });
}

export const render = (ask: Partial<ChatRequest>, more: Partial<RenderContext> = {}): RenderedRequest =>
  dialect.request.render({ ...baseAsk, ...ask }, context(more));

/** The input that an ask becomes, and the warnings on the way. */
export function inputOf(
  messages: ChatRequest["messages"],
  more: Partial<RenderContext> = {},
): { input: Json; warnings: Json } {
  const { call, warnings } = render({ messages: messages }, more);
  return { input: call.body.input as Json, warnings: warnings as unknown as Json };
}

export const fixtureFrames = (name: string): Frame[] => framesOf([Buffer.from(wireText(`openai-responses/${name}`))]);

export const readFixture = (name: string): StreamEvent[] => readAll(dialect, fixtureFrames(name));

/** What a reader says of these events. */
export const readEvents = (...events: JsonObject[]): StreamEvent[] =>
  readAll(
    dialect,
    events.map((event) => ({ event: String(event.type), data: JSON.stringify(event) })),
  );

export function writeContext(more: Partial<WriteContext> = {}): WriteContext {
  return { request: baseAsk, wire: hello, id: "req-1", createdAt: 7, inputEstimate: 3, ...more };
}

/** The frames that a client of these deltas gets. */
export function framesFor(events: Iterable<StreamEvent>, more: Partial<WriteContext> = {}): Frame[] {
  const writer = dialect.stream?.writer(writeContext(more));
  return [...events].flatMap((event) => writer?.write(event) ?? []);
}

/** The events in them, once over the wire. */
export function written(events: Iterable<StreamEvent>, more: Partial<WriteContext> = {}): JsonObject[] {
  const wire = framesFor(events, more).map(formatFrame).join("");
  return framesOf([Buffer.from(wire)]).map(({ event, data }) => {
    const body = JSON.parse(data) as JsonObject;
    if (body.type !== event) throw new Error(`event ${event} is called ${body.type} in its data`);
    return body;
  });
}

/** A whole response with this output. */
export const wholeReply = (output: JsonObject[], more: JsonObject = {}): ChatResponse =>
  dialect.response.parse(
    { id: "resp_1", object: "response", model: "m", status: "completed", output, ...more },
    { origin: "maker" },
  );

export { thrown } from "../../support/sample-requests.ts";
