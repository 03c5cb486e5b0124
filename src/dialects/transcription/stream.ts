// Transcription streams: events with fragments of text, and one at the end with the whole text.
import type { FinishReason } from "../../canonical/chat.ts";
import type { OperationResponse } from "../../canonical/operation.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import { type Frame, keepAliveComment } from "../../lib/sse.ts";
import type { ReadContext, StreamCodec, StreamReader, StreamWriter } from "../dialect.ts";
import { streamTruncated } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { eventUsage, parseUsage } from "./response.ts";

const event = (body: JsonObject): Frame => ({ data: JSON.stringify(body) });
const place = { choice: 0, block: 0 } as const;

function reader(_context: ReadContext): StreamReader {
  let text = "";
  let started = false;
  let over = false;
  const begin = (): StreamEvent[] => {
    if (started) return [];
    started = true;
    return [
      { type: "start", id: "", model: "" },
      { type: "block-start", ...place, open: { kind: "text" } },
    ];
  };
  const textEvents = (more: string): StreamEvent[] => {
    text += more;
    return [...begin(), { type: "text", ...place, text: more }];
  };
  const done = (body: JsonObject): StreamEvent[] => {
    over = true;
    const whole = typeof body.text === "string" && text === "" && body.text !== "" ? textEvents(body.text) : begin();
    const usage = parseUsage(body.usage);
    const stops: readonly FinishReason[] = [{ kind: "end" }];
    return [
      ...whole,
      { type: "block-end", ...place },
      { type: "finish", finishReasons: stops, ...(usage ? { usage } : {}) },
    ];
  };
  return {
    read(frame) {
      const body = parseJsonText(frame.data);
      if (over || !isObject(body)) return [];
      if (body.error || body.type === "error") {
        over = true;
        return [{ type: "error", error: openaiErrors.parse(200, body) }];
      }
      if (body.type === "transcript.text.delta" && typeof body.delta === "string") return textEvents(body.delta);
      return body.type === "transcript.text.done" ? done(body) : [];
    },
    end: () => (over ? [] : [{ type: "error", error: streamTruncated() }]),
  };
}

function writer(): StreamWriter {
  let text = "";
  return {
    write(streamEvent) {
      if (streamEvent.type === "text") {
        text += streamEvent.text;
        return [event({ type: "transcript.text.delta", delta: streamEvent.text })];
      }
      if (streamEvent.type !== "finish") return [];
      const usage = eventUsage(streamEvent.usage);
      return [event({ type: "transcript.text.done", text, ...(usage === undefined ? {} : { usage }) })];
    },
  };
}

function whole(response: OperationResponse): Frame[] {
  if (response.operation !== "transcribe") return [];
  const { text } = response;
  const usage = eventUsage(response.usage);
  const done = event({ type: "transcript.text.done", text, ...(usage === undefined ? {} : { usage }) });
  return text === "" ? [done] : [event({ type: "transcript.text.delta", delta: text }), done];
}

export const stream: StreamCodec = { reader, writer, asStream: whole, heartbeat: () => keepAliveComment };
