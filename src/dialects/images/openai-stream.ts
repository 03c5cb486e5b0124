// Image streams: partial images, then each complete one with its usage.

import type { ImageRequest, ImageResponse } from "../../canonical/image.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { addUsage, type Usage } from "../../canonical/usage.ts";
import { isObject, omitUndefined, parseJsonText } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ErrorCodec, StreamCodec, StreamReader, WriteContext } from "../dialect.ts";
import { invalidUpstreamResponse, streamTruncated } from "../errors.ts";
import { formatOf, readUsage, writeUsage } from "./response.ts";

/** The prefix of a path's event types. */
type EventName = "image_generation" | "image_edit";

/** Reads the events for their usage. There is no terminator, because every image has its own end event. */
function reader({ parse }: ErrorCodec): StreamReader {
  let usage: Usage | undefined;
  let over = false;
  const fail = (streamEvent: StreamEvent): StreamEvent[] => {
    over = true;
    return [streamEvent];
  };
  return {
    read({ data }: Frame) {
      if (over || data.trim() === "" || data.trim() === "[DONE]") return [];
      const event = parseJsonText(data);
      if (!isObject(event))
        return fail({ type: "error", error: invalidUpstreamResponse("a stream event is not a JSON object") });
      if (event.error || event.type === "error") return fail({ type: "error", error: parse(200, event) });
      if (!String(event.type).endsWith(".completed")) return [];
      const { usage: more } = readUsage(event.usage, 1);
      usage = usage === undefined ? more : addUsage(usage, more);
      return [];
    },
    end() {
      if (over) return [];
      return fail(
        usage === undefined
          ? { type: "error", error: streamTruncated() }
          : { type: "finish", finishReasons: [], usage },
      );
    },
  };
}

function commonMembers(response: ImageResponse, { createdAt, request }: WriteContext) {
  const wanted = request as ImageRequest;
  const { width, height } = wanted.size ?? {};
  const size = width === undefined ? "auto" : `${width}x${height}`;
  return {
    created_at: response.createdAt ?? createdAt,
    size: response.size ?? size,
    quality: response.quality ?? wanted.quality ?? "auto",
    background: response.background ?? wanted.background ?? "auto",
    output_format: formatOf(response) ?? wanted.fileFormat ?? "png",
  };
}

const base64Of = ({ source }: ImageResponse["images"][number]): string => {
  if (source.kind === "base64") return source.base64;
  throw invalidUpstreamResponse("an image was returned as a URL, but its bytes are required");
};

const frame = (event: string, data: object): Frame => ({ event, data: JSON.stringify({ type: event, ...data }) });

function partialFrames(name: EventName, response: ImageResponse, context: WriteContext): Frame[] {
  const common = commonMembers(response, context);
  return (response.partialImages ?? []).map((image, index) =>
    frame(`${name}.partial_image`, { b64_json: base64Of(image), ...common, partial_image_index: index }),
  );
}

/** The last event contains the usage of all images. */
function wholeFrames(name: EventName, response: ImageResponse, context: WriteContext): Frame[] {
  const common = commonMembers(response, context);
  return response.images.map((image, index) => {
    const usage = index === response.images.length - 1 ? writeUsage(response) : undefined;
    return frame(`${name}.completed`, omitUndefined({ b64_json: base64Of(image), ...common, usage }));
  });
}

export function streamOf(name: EventName, errors: ErrorCodec): StreamCodec {
  return {
    reader: () => reader(errors),
    // Other upstreams return complete responses, which `asStream` writes.
    writer: () => ({ write: () => [] }),
    heartbeat: () => ": keep-alive\n\n",
    asStream: (response, context) =>
      response.operation === "image"
        ? [...partialFrames(name, response, context), ...wholeFrames(name, response, context)]
        : [],
  };
}
