// What all records of one OpenAI-shaped stream share, and the last ones: usage for those who asked, and the mark of the end.
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { Frame } from "../../lib/sse.ts";
import type { WriteContext } from "../dialect.ts";
import { renderUsage } from "./openai-usage.ts";

/** The beginning of every record up to its choices; made once for a stream. */
export function recordHead(
  object: string,
  context: WriteContext,
  start?: Extract<StreamEvent, { type: "start" }>,
): string {
  const id = start?.id || context.id;
  const created = start?.createdAt ?? context.createdAt;
  const model = start?.model || context.request.model;
  return `{"id":${JSON.stringify(id)},"object":"${object}","created":${created},"model":${JSON.stringify(model)},"choices":[`;
}

/** The end of every record: a client that asked for usage is told in each that it is not there yet. */
export function recordTail(wantsUsage: boolean): string {
  return wantsUsage ? '],"usage":null}' : "]}";
}

/** Usage comes in a record of its own, and only to a client that asked for it and when somebody counted. */
export function lastRecords(head: string, wantsUsage: boolean, usage: Usage | undefined): Frame[] {
  const done: Frame = { data: "[DONE]" };
  return wantsUsage && usage !== undefined
    ? [{ data: `${head}],"usage":${JSON.stringify(renderUsage(usage))}}` }, done]
    : [done];
}
