// What the tests of providers share: a kind by its name, and a provider of that kind behind a scripted upstream.
import type { ChatResponse } from "../../src/canonical/chat.ts";
import { collectEvents, type StreamEvent } from "../../src/canonical/stream-event.ts";
import { openaiChat } from "../../src/dialects/index.ts";
import type { Frame } from "../../src/lib/sse.ts";
import { httpProvider } from "../../src/providers/http-provider.ts";
import { findKind } from "../../src/providers/index.ts";
import type { HttpKind, HttpProvider } from "../../src/providers/provider.ts";
import type { HttpResponse } from "../../src/providers/transport/response.ts";
import { framesOf } from "../support/laws.ts";

export function kindOf(name: string): HttpKind {
  const kind = findKind(name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

/** A provider of this kind at this address. */
export function providerAt(name: string, url: string): HttpProvider {
  const entry = { name, kind: kindOf(name), baseUrl: `${url}/v1`, credential: null, models: null, headers: {} };
  return httpProvider({ ...entry, timeouts: {} });
}

/** One call to a provider, as the corridor makes it. */
export function ask(
  provider: HttpProvider,
  stream: boolean,
  signal = new AbortController().signal,
): Promise<HttpResponse> {
  const call = { path: "chat/completions", body: { model: "m", messages: [], stream } };
  return provider.dispatch.send({ call, dialect: openaiChat, stream, signal });
}

export async function framesIn(response: HttpResponse): Promise<Frame[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  return framesOf(chunks);
}

export function read(frames: readonly Frame[], origin: string): { deltas: StreamEvent[]; answer: ChatResponse | null } {
  const reader = openaiChat.stream?.reader({ origin });
  const events = [...frames.flatMap((frame) => reader?.read(frame) ?? []), ...(reader?.end() ?? [])];
  const failed = events.at(-1)?.type === "error";
  return { deltas: events, answer: failed ? null : collectEvents(events) };
}
