// Translates a fixture through the canonical model into every dialect, as the text of its golden file.
import type { ChatRequest } from "../../src/canonical/chat.ts";
import type { EmbeddingRequest } from "../../src/canonical/embedding.ts";
import { GatewayError } from "../../src/canonical/error.ts";
import type { Operation, OperationRequest } from "../../src/canonical/operation.ts";
import type { Dialect, RequestMeta, WriteContext } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/index.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { type Frame, formatFrame } from "../../src/lib/sse.ts";
import { framesOf } from "../support/laws.ts";

const model = "model-x";
const origin = "golden";
const tool = (name: string) => ({ kind: "function", name, parameters: { type: "object", properties: {} } }) as const;

const chatAsk: ChatRequest = {
  operation: "chat",
  model,
  stream: false,
  system: [],
  messages: [{ role: "user", blocks: [{ type: "text", text: "Hello." }] }],
  tools: [tool("get_time"), tool("get_day")],
  maxOutputTokens: 1_000,
  sampling: {},
  stopSequences: [],
  choices: 1,
  unmappedFields: [],
};
const embedAsk: EmbeddingRequest = {
  operation: "embed",
  model,
  stream: false,
  input: { kind: "texts", texts: ["Hello."] },
  format: "float",
  unmappedFields: [],
};

/** What was asked in each operation of the matrix: those that many dialects have. Media are compared where their tests are. */
const asks: { readonly [operation in Operation]?: Readonly<Record<string, OperationRequest>> } = {
  chat: { "": chatAsk },
  count: { "": { operation: "count", model, stream: false, chat: chatAsk, unmappedFields: [] } },
  embed: { "as numbers": embedAsk, "as base64": { ...embedAsk, format: "base64" } },
};

/** What clients of those dialects send that cannot say the asks above. */
const ownWires: Readonly<Record<string, (stream: boolean) => JsonObject>> = {
  "openai-completions": (stream) => ({
    model,
    prompt: "Hello.",
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  }),
};

const envelope: RequestMeta = { header: () => null, params: { model } };

/** Dialects of the matrix. */
export const compared = dialects.filter(({ operation }) => asks[operation] !== undefined);

export type Kind = "whole" | "stream" | "error" | "request";

/** One fixture: its dialect, its file name and its text. */
export interface Fixture {
  dialect: Dialect;
  name: string;
  text: string;
}

function kindOf(name: string): Kind {
  if (name.endsWith(".sse")) return "stream";
  if (name.endsWith("-request.json")) return "request";
  return /(?:^|-)error(?:-|\.)/.test(name) ? "error" : "whole";
}

/** The fixture in the words of every dialect of its operation, one section for each. */
export function golden(fixture: Fixture): string {
  const peers = compared.filter(({ operation }) => operation === fixture.dialect.operation);
  const variants = Object.entries(asks[fixture.dialect.operation] ?? {});
  const sections = peers.flatMap((peer) =>
    variants.map(([variant, ask]) => {
      const title = `=== ${peer.name}${variant === "" ? "" : ` ${variant}`}`;
      return `${title}\n${attempt(() => converters[kindOf(fixture.name)](fixture, peer, ask))}\n`;
    }),
  );
  return [titles[kindOf(fixture.name)](`${fixture.dialect.name} (${fixture.name})`), ...sections].join("\n");
}

/** The first line of a golden file: what it shows. */
const titles: Readonly<Record<Kind, (source: string) => string>> = {
  whole: (source) => `A response of ${source}, as a client of each format receives it.\n`,
  stream: (source) => `A streamed response of ${source}, as a client of each format receives it.\n`,
  error: (source) => `An error of ${source}, as a client of each format receives it.\n`,
  request: (source) => `A request of ${source}, as a provider of each format receives it.\n`,
};

/** A refusal is a result too. */
function attempt(convert: () => string): string {
  try {
    return convert();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return `refused: ${thrown.status} ${thrown.code} ${thrown.param} ${thrown.message}`;
  }
}

type Convert = (fixture: Fixture, peer: Dialect, canonicalRequest: OperationRequest) => string;

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const parsed = (text: string): JsonObject => JSON.parse(text) as JsonObject;

/** What a client of this dialect would have sent for an ask, as its wire and as the dialect reads it. */
function writeContextOf(client: Dialect, canonicalRequest: OperationRequest): WriteContext {
  const fieldPath = client.request.fieldPath.bind(client.request);
  const body =
    ownWires[client.name]?.(canonicalRequest.stream) ??
    client.request.render(canonicalRequest, { model, origin, fieldPath }).call.body;
  const read = { ...client.request.parse(body, envelope), model, stream: canonicalRequest.stream } as OperationRequest;
  return { request: read, wire: body, id: "golden-1", createdAt: 1_760_000_000, inputEstimate: 3 };
}

const whole: Convert = ({ dialect, text }, client, canonicalRequest) => {
  const context = writeContextOf(client, canonicalRequest);
  const response = dialect.response.parse(parsed(text), { origin, request: context.request });
  return pretty(client.response.render(response, context));
};

const stream: Convert = ({ dialect, text }, client, canonicalRequest) => {
  const context = writeContextOf(client, { ...canonicalRequest, stream: true } as OperationRequest);
  const reader = dialect.stream?.reader({ origin, request: context.request });
  const writer = client.stream?.writer(context);
  if (!reader || !writer) return "does not stream";
  const frames = framesOf([Buffer.from(text)]);
  const events = [...frames.flatMap((frame) => reader.read(frame)), ...reader.end()];
  const written = events.flatMap((event): Frame[] =>
    event.type === "error" ? client.error.frames(event.error, "req_golden") : writer.write(event),
  );
  return written.map(formatFrame).join("").trimEnd();
};

const error: Convert = ({ dialect, name, text }, client) => {
  const status = Number(/error-(\d{3})/.exec(name)?.[1] ?? 400);
  const { status: shown, body } = client.error.render(dialect.error.parse(status, parsed(text)), "req_golden");
  return `${shown} ${pretty(body)}`;
};

/** The other direction: a request of this dialect, for an upstream of that one. */
const request: Convert = ({ dialect, text }, upstream) => {
  const canonicalRequest = dialect.request.parse(parsed(text), envelope);
  const fieldPath = dialect.request.fieldPath.bind(dialect.request);
  return pretty(upstream.request.render(canonicalRequest, { model, origin, fieldPath }));
};

const converters: { readonly [kind in Kind]: Convert } = { whole, stream, error, request };
