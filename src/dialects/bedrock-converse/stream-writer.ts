// Deltas into frames for a client: the Messages API's events in this wire's words.
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import { streamWriter as messageWriter } from "../anthropic-messages/stream-writer.ts";
import type { StreamWriter, WriteContext } from "../dialect.ts";
import { converseErrors, exceptionEvent } from "./error.ts";
import { writeReason, writeUsage } from "./finish-reason.ts";

const inner = (event: JsonObject, name: string): JsonObject => {
  const value = event[name];
  return isObject(value) ? value : {};
};

const frame = (event: string, body: JsonObject): Frame => ({ event, data: JSON.stringify(body) });

/** Only calls open with an event of their own; what is redacted is all that there is of its block. */
function blockStart({ index, content_block: wire }: JsonObject): Frame[] {
  const block = isObject(wire) ? wire : {};
  if (block.type === "redacted_thinking") {
    return [delta(index, { reasoningContent: { redactedContent: block.data } })];
  }
  if (block.type !== "tool_use") return [];
  const toolUse = { toolUseId: block.id, name: block.name };
  return [frame("contentBlockStart", { start: { toolUse }, contentBlockIndex: index })];
}

function delta(index: JsonObject[string], body: JsonObject): Frame {
  return frame("contentBlockDelta", { delta: body, contentBlockIndex: index });
}

const deltas: Readonly<Record<string, (said: JsonObject) => JsonObject>> = {
  text_delta: ({ text }) => ({ text }),
  thinking_delta: ({ thinking }) => ({ reasoningContent: { text: thinking } }),
  signature_delta: ({ signature }) => ({ reasoningContent: { signature } }),
  input_json_delta: ({ partial_json: input }) => ({ toolUse: { input } }),
};

function blockDelta(event: JsonObject): Frame[] {
  const said = inner(event, "delta");
  const body = deltas[String(said.type)]?.(said);
  return body === undefined ? [] : [delta(event.index, body)];
}

const writers: Readonly<Record<string, (event: JsonObject) => Frame[]>> = {
  message_start: () => [frame("messageStart", { role: "assistant" })],
  content_block_start: blockStart,
  content_block_delta: blockDelta,
  content_block_stop: ({ index }) => [frame("contentBlockStop", { contentBlockIndex: index })],
  message_delta: (event) => [
    frame("messageStop", writeReason(inner(event, "delta"))),
    frame("metadata", { usage: writeUsage(event.usage), metrics: { latencyMs: 0 } }),
  ],
  error: (event) => [
    frame(exceptionEvent, { __type: "InternalServerException", message: inner(event, "error").message }),
  ],
};

/** A writer for one client. */
export function streamWriter(context: WriteContext): StreamWriter {
  const writer = messageWriter(context);
  return {
    write(said) {
      const frames = writer.write(said);
      if (said.type === "error") return frames.length === 0 ? [] : converseErrors.frames(said.error, "");
      return frames.flatMap(({ data }) => {
        const event = parseJsonText(data);
        return isObject(event) ? (writers[String(event.type)]?.(event) ?? []) : [];
      });
    },
  };
}
