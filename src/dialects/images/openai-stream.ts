// Images as a stream of events: unfinished ones as they become clearer, then each finished one with what it cost.

import type { ImageAnswer, ImageAsk } from "../../canonical/image.ts";
import type { Delta } from "../../canonical/stream-event.ts";
import { addUsage, type Usage } from "../../canonical/usage.ts";
import { compact, isObject, parseJsonText } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { ErrorSide, StreamReader, StreamSide, WriteContext } from "../dialect.ts";
import { badReply, truncated } from "../errors.ts";
import { formatOf } from "./response.ts";
import { readUsage, writeUsage } from "./usage.ts";

/** How the events of a path are called. */
export type EventName = "image_generation" | "image_edit";

/** Reads the events for the meter's sake. There is no terminator: several images have an end each. */
function reader({ parse }: ErrorSide): StreamReader {
  let usage: Usage | undefined;
  let over = false;
  const fail = (delta: Delta): Delta[] => {
    over = true;
    return [delta];
  };
  return {
    read({ data }: Frame) {
      if (over || data.trim() === "" || data.trim() === "[DONE]") return [];
      const event = parseJsonText(data);
      if (!isObject(event)) return fail({ type: "error", error: badReply("a record of the stream is no JSON object") });
      if (event.error || event.type === "error") return fail({ type: "error", error: parse(200, event) });
      if (!String(event.type).endsWith(".completed")) return [];
      const { usage: told } = readUsage(event.usage, 1);
      if (told !== undefined) usage = usage === undefined ? told : addUsage(usage, told);
      return [];
    },
    end() {
      if (over) return [];
      return fail(usage === undefined ? { type: "error", error: truncated() } : { type: "finish", stops: [], usage });
    },
  };
}

function told(answer: ImageAnswer, { createdAt, ask }: WriteContext) {
  const wanted = ask as ImageAsk;
  const size = wanted.width === undefined ? "auto" : `${wanted.width}x${wanted.height}`;
  return {
    created_at: answer.createdAt ?? createdAt,
    size: answer.size ?? size,
    quality: answer.quality ?? wanted.quality ?? "auto",
    background: answer.background ?? wanted.background ?? "auto",
    output_format: formatOf(answer) ?? wanted.fileFormat ?? "png",
  };
}

const base64Of = ({ source }: ImageAnswer["images"][number]): string => {
  if (source.kind === "base64") return source.base64;
  throw badReply("an image is an address where its bytes are needed");
};

const frame = (event: string, data: object): Frame => ({ event, data: JSON.stringify({ type: event, ...data }) });

/** Unfinished images, all of them as the finished first one: for stand-ins that have nothing in between. */
export function partialFrames(name: EventName, answer: ImageAnswer, count: number, context: WriteContext): Frame[] {
  const [first] = answer.images;
  if (first === undefined) return [];
  const common = { b64_json: base64Of(first), ...told(answer, context) };
  return Array.from({ length: count }, (_, index) =>
    frame(`${name}.partial_image`, { ...common, partial_image_index: index }),
  );
}

/** What all of them cost stands in the last event. */
function wholeFrames(name: EventName, answer: ImageAnswer, context: WriteContext): Frame[] {
  const common = told(answer, context);
  return answer.images.map((image, index) => {
    const usage = index === answer.images.length - 1 ? writeUsage(answer) : undefined;
    return frame(`${name}.completed`, compact({ b64_json: base64Of(image), ...common, usage }));
  });
}

export function streamOf(name: EventName, errors: ErrorSide): StreamSide {
  return {
    reader: () => reader(errors),
    // Other upstreams give whole answers, which `whole` tells.
    writer: () => ({ write: () => [] }),
    heartbeat: () => ": keep-alive\n\n",
    whole: (answer, context) => (answer.operation === "image" ? wholeFrames(name, answer, context) : []),
  };
}
