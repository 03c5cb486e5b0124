// A stream of AWS messages as server-sent events, which is what dialects read.
import type { GatewayError } from "../../canonical/error.ts";
import { exceptionEvent } from "../../dialects/bedrock-converse/error.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { formatFrame } from "../../lib/sse.ts";
import { type EventMessage, eventCutter } from "./event-stream.ts";

const binary = "application/vnd.amazon.eventstream";
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** An exception within a stream in the shape of one that is a whole reply: its name is next to its message. */
function exception(type: string | undefined, body: JsonObject): string {
  return formatFrame({ event: exceptionEvent, data: JSON.stringify({ ...body, __type: type ?? "" }) });
}

function frameOf({ headers, payload }: EventMessage): string {
  const data = decoder.decode(payload);
  switch (headers[":message-type"]) {
    case "exception": {
      const body = parseExactText(data);
      return exception(headers[":exception-type"], isObject(body) ? body : { message: data });
    }
    case "error":
      return exception(headers[":error-code"], { message: headers[":error-message"] ?? "" });
    default:
      return formatFrame({ event: headers[":event-type"] ?? "", data });
  }
}

/**
 * Messages before a damaged one are passed on first. A partial message at the end is dropped: the dialect finds out
 * whether the reply was complete.
 */
function eventsAsFrames(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cutter = eventCutter();
  let fault: GatewayError | null = null;
  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        while (fault === null) {
          const { done, value } = await reader.read();
          if (done) return out.close();
          const cut = cutter.push(value);
          fault = cut.fault;
          if (cut.messages.length > 0) return out.enqueue(encoder.encode(cut.messages.map(frameOf).join("")));
        }
        void reader.cancel().catch(() => undefined);
        throw fault;
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The response with its body in events; any other response as it is. */
export function unwrapEvents(response: Response): Response {
  if (response.body === null || !response.headers.get("content-type")?.startsWith(binary)) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.set("content-type", "text/event-stream");
  return new Response(eventsAsFrames(response.body), { status: response.status, headers });
}
