// Reads a stream that is passed through: the response gets the gateway's identity, and errors contain the output so
// far.
import type { GatewayError } from "../../canonical/error.ts";
import type { Usage } from "../../canonical/usage.ts";
import { isObject, type JsonObject, parseJsonText } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { PassthroughReader, ReadContext, ResponseFrame, WriteContext } from "../dialect.ts";
import type { BrokenStream } from "../stored-responses.ts";
import { failedFrame, incompleteFrame } from "./error.ts";
import { identityMembers } from "./response-object.ts";
import { reader } from "./stream-reader.ts";
import { streamedOutput } from "./streamed-output.ts";
import { parseUsage, renderUsage } from "./usage.ts";

const finalTypes = new Set<unknown>(["response.completed", "response.incomplete"]);

/** The number of an event; -1 if it has none. */
function numberOf(event: unknown): number {
  return isObject(event) && typeof event.sequence_number === "number" ? event.sequence_number : -1;
}

/** The response under the gateway's identity, with this usage where its own cannot be true. */
function ownResponse(response: JsonObject, { stored }: WriteContext, usage: Usage | undefined): JsonObject {
  const isFalse = usage !== undefined && isObject(response.usage) && parseUsage(response.usage) === undefined;
  return {
    ...response,
    ...(isFalse ? { usage: renderUsage(usage) } : {}),
    ...(stored === undefined ? {} : identityMembers(stored)),
  };
}

/** Background events are numbered by the gateway, which has sent the first one itself. */
export function passthroughReader(context: ReadContext, write: WriteContext): PassthroughReader {
  /** The event of the frame that was read last; null if it was only peeked. */
  let event: JsonObject | null = null;
  let head: JsonObject = {};
  let last: Frame | null = null;
  let shownFrames = 1;
  const output = streamedOutput();
  const along = reader(context, (read) => {
    event = read;
    output.add(read);
  });
  const isBackground = write.stored?.isBackground === true;

  const broken = (): BrokenStream => {
    const number = isBackground ? shownFrames : numberOf(parseJsonText(last?.data ?? "")) + 1;
    return { response: head, number, items: output.items() };
  };

  const withMembers = (frame: Frame, members: JsonObject): Frame => ({ ...frame, data: JSON.stringify(members) });

  const changed = (frame: Frame, read: JsonObject, usage: Usage | undefined): ResponseFrame | null => {
    if (isBackground && read.type === "response.created") return null;
    const numbered = isBackground ? { ...read, sequence_number: shownFrames++ } : read;
    const item = read.type === "response.output_item.done" && isObject(read.item) ? { item: read.item } : {};
    if (!isObject(read.response))
      return isBackground ? { ...withMembers(frame, numbered), ...item } : { ...frame, ...item };
    const response = ownResponse(read.response, write, usage);
    const shown = { ...withMembers(frame, { ...numbered, response }), response };
    if (!finalTypes.has(read.type)) return shown;
    return { ...shown, withResponse: (other) => withMembers(frame, { ...numbered, response: other }) };
  };

  return {
    read(frame) {
      event = null;
      return along.read(frame);
    },
    peekText(data) {
      if (isBackground || !output.isInText()) return null;
      const text = along.peekText?.(data) ?? null;
      if (text === null) return null;
      event = null;
      output.addText(text);
      return text;
    },
    end: along.end,
    shown(frame, usage) {
      if (event !== null && isObject(event.response)) head = event.response;
      const needsChange =
        event !== null && (isBackground || isObject(event.response) || event.type === "response.output_item.done");
      const shown = needsChange && event !== null ? changed(frame, event, usage) : frame;
      last = shown ?? last;
      return shown;
    },
    error: (error: GatewayError) => [failedFrame(error, write, broken())],
    stopped: (usage) => [incompleteFrame(usage, write, broken())],
  };
}
