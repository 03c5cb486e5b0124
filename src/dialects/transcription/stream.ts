// A transcript as it is found: events with pieces of text, and one at the end with all of it.
import type { Stop } from "../../canonical/chat.ts";
import type { Answer } from "../../canonical/operation.ts";
import type { Delta } from "../../canonical/stream-event.ts";
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import { type Frame, keepAliveComment } from "../../lib/sse.ts";
import type { ReadContext, StreamReader, StreamSide, StreamWriter } from "../dialect.ts";
import { truncated } from "../errors.ts";
import { openaiErrors } from "../openai-error.ts";
import { eventUsage, parseUsage } from "./response.ts";

const event = (body: JsonObject): Frame => ({ data: JSON.stringify(body) });
const place = { choice: 0, block: 0 } as const;

function reader(_context: ReadContext): StreamReader {
  let text = "";
  let started = false;
  let over = false;
  const begin = (): Delta[] => {
    if (started) return [];
    started = true;
    return [
      { type: "start", id: "", model: "" },
      { type: "block-open", ...place, open: { kind: "text" } },
    ];
  };
  const said = (more: string): Delta[] => {
    text += more;
    return [...begin(), { type: "text", ...place, text: more }];
  };
  const done = (body: JsonObject): Delta[] => {
    over = true;
    const whole = typeof body.text === "string" && text === "" && body.text !== "" ? said(body.text) : begin();
    const usage = parseUsage(body.usage);
    const stops: readonly Stop[] = [{ kind: "end" }];
    return [...whole, { type: "block-close", ...place }, { type: "finish", stops, ...(usage ? { usage } : {}) }];
  };
  return {
    read(frame) {
      const body = parseJsonText(frame.data);
      if (over || !isObject(body)) return [];
      if (body.error || body.type === "error") {
        over = true;
        return [{ type: "error", error: openaiErrors.parse(200, body) }];
      }
      if (body.type === "transcript.text.delta" && typeof body.delta === "string") return said(body.delta);
      return body.type === "transcript.text.done" ? done(body) : [];
    },
    end: () => (over ? [] : [{ type: "error", error: truncated() }]),
  };
}

function writer(): StreamWriter {
  let text = "";
  return {
    write(delta) {
      if (delta.type === "text") {
        text += delta.text;
        return [event({ type: "transcript.text.delta", delta: delta.text })];
      }
      if (delta.type !== "finish") return [];
      const usage = eventUsage(delta.usage);
      return [event({ type: "transcript.text.done", text, ...(usage === undefined ? {} : { usage }) })];
    },
  };
}

function whole(answer: Answer): Frame[] {
  if (answer.operation !== "transcribe") return [];
  const { text } = answer;
  const usage = eventUsage(answer.usage);
  const done = event({ type: "transcript.text.done", text, ...(usage === undefined ? {} : { usage }) });
  return text === "" ? [done] : [event({ type: "transcript.text.delta", delta: text }), done];
}

export const stream: StreamSide = { reader, writer, whole, heartbeat: () => keepAliveComment };
