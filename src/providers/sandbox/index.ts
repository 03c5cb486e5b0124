// The sandbox: a built-in stand-in for every operation, in every dialect, for trying the gateway without an account.
import type { ChatAnswer, ChatAsk } from "../../canon/conversation.ts";
import { GatewayError } from "../../canon/error.ts";
import type { Answer, Ask } from "../../canon/operation.ts";
import type { Dialect, WriteContext } from "../../dialects/dialect.ts";
import { dialects } from "../../dialects/index.ts";
import { formatFrame } from "../../lib/sse.ts";
import { defaultTimeouts, type Provider, pathParams, type Shipment } from "../provider.ts";
import { chatReply, lastPrompt } from "./chat.ts";
import { wordByWord } from "./deltas.ts";
import { type Directives, readDirectives, sandboxModels } from "./directives.ts";
import { embedReply } from "./embed.ts";

const origin = "sandbox";
const encoder = new TextEncoder();

function promptOf(ask: Ask): string {
  if (ask.operation === "chat") return lastPrompt(ask);
  if (ask.operation === "count") return "";
  return ask.input.kind === "texts" ? ask.input.texts.join(" ") : "";
}

/** Waits, or rejects with the signal's reason. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

function refusal({ error, rateLimit }: Directives): Response | null {
  if (rateLimit !== null)
    return Response.json(
      {
        error: {
          message: "The sandbox was told to limit the rate.",
          type: "rate_limit_error",
          code: "rate_limit_exceeded",
        },
      },
      { status: 429, headers: { "retry-after": String(rateLimit) } },
    );
  if (error === null) return null;
  const body = { error: { message: "The sandbox was told to fail.", type: "sandbox_error", code: "sandbox_error" } };
  return Response.json(body, { status: error });
}

async function* frames(
  dialect: Dialect,
  answer: ChatAnswer,
  write: WriteContext,
  directives: Directives,
  signal: AbortSignal,
) {
  const writer = dialect.stream?.writer(write);
  let sent = 0;
  for (const delta of wordByWord(answer)) {
    const text = (writer?.write(delta) ?? []).map(formatFrame).join("");
    if (text === "") continue;
    if (sent > 0) await pause(directives.paceMs, signal);
    if (sent === directives.cut) return;
    yield encoder.encode(text);
    sent++;
  }
}

function streamed(
  dialect: Dialect,
  ask: ChatAsk,
  write: WriteContext,
  directives: Directives,
  signal: AbortSignal,
): Response {
  const source = frames(dialect, chatReply(ask, origin), write, directives, signal);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function answerTo(ask: Ask): Answer {
  switch (ask.operation) {
    case "chat":
      return chatReply(ask, origin);
    case "embed":
      return embedReply(ask);
    case "count":
      return { operation: "count", inputTokens: chatReply(ask.chat, origin).usage?.inputTokens ?? 0 };
  }
}

function replyTo(ask: Ask, dialect: Dialect, write: WriteContext): Response {
  return Response.json(dialect.response.render(answerTo(ask), write));
}

async function send({ call, dialect, stream, signal }: Shipment): Promise<Response> {
  const ask = dialect.request.parse(call.body, { header: () => null, params: pathParams(call) });
  const directives = readDirectives(ask.model, promptOf(ask));
  await pause(directives.delayMs, signal);
  const refused = refusal(directives);
  if (refused !== null) return refused;
  const write: WriteContext = { ask, wire: call.body, id: "sandbox", createdAt: 0, inputEstimate: 0 };
  if (!stream) return replyTo(ask, dialect, write);
  if (ask.operation !== "chat") throw new GatewayError("internal_error", "This operation does not stream.");
  return streamed(dialect, ask, write, directives, signal);
}

export const sandboxProvider: Provider = {
  name: "sandbox",
  kind: "sandbox",
  origin,
  // A wire that asks several things at once is split by the corridor, so that each is answered.
  dialects: dialects.filter((dialect) => dialect.request.split === undefined),
  options: {},
  models: sandboxModels.map((name) => `${origin}/${name}`),
  timeouts: defaultTimeouts,
  send,
};
