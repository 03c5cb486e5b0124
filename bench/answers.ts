// The bodies that the bench upstream answers with, encoded once.
import { eventsPerStream, models, sizes, text } from "./workloads.ts";

const created = 1_760_000_000;
const usage = { prompt_tokens: 200, completion_tokens: 97, total_tokens: 297 };

function completion(content: string): string {
  return JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion",
    created,
    model: models.json,
    choices: [
      { index: 0, message: { role: "assistant", content, refusal: null }, logprobs: null, finish_reason: "stop" },
    ],
    usage,
  });
}

/** A completion whose JSON is at most `bytes` long. */
function sized(bytes: number): string {
  const fit = (length: number): string => {
    const body = completion(text(length));
    return body.length <= bytes ? body : fit(length - (body.length - bytes));
  };
  return fit(bytes - completion("").length);
}

const encoder = new TextEncoder();

export const smallAnswer = encoder.encode(sized(sizes.small));
export const largeAnswer = encoder.encode(sized(sizes.large));

function frame(choices: unknown[], rest: Record<string, unknown> = {}): string {
  const head = { id: "chatcmpl-bench", object: "chat.completion.chunk", created, model: models.events };
  return `data: ${JSON.stringify({ ...head, choices, ...rest })}\n\n`;
}

const contentFrames = eventsPerStream - 3;

/** The text of event `place`: its number, so that a lost event is seen. */
export const eventText = (place: number) => `${place} `;

/** All frames of one stream: numbered text, finish, usage, terminator. */
export const frames: Uint8Array[] = [
  ...Array.from({ length: contentFrames }, (_, place) =>
    frame([
      {
        index: 0,
        delta: { ...(place === 0 && { role: "assistant" }), content: eventText(place) },
        finish_reason: null,
      },
    ]),
  ),
  frame([{ index: 0, delta: {}, finish_reason: "stop" }]),
  frame([], { usage }),
  "data: [DONE]\n\n",
].map((line) => encoder.encode(line));

/** What the contents of all events say, joined. */
export const streamText = Array.from({ length: contentFrames }, (_, place) => eventText(place)).join("");
