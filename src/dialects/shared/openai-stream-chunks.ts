// The members that all records of one OpenAI-shaped stream share, and the last records: usage and terminator.
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Usage } from "../../canonical/usage.ts";
import type { Frame } from "../../lib/sse.ts";
import type { WriteContext } from "../dialect.ts";
import { renderUsage } from "./openai-usage.ts";

/** The start of every record up to its choices; built once for a stream. */
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

/** The end of every record. If the client requested usage, records before the last have `usage: null`. */
export function recordTail(wantsUsage: boolean): string {
  return wantsUsage ? '],"usage":null}' : "]}";
}

/** Usage has a record of its own, only if the client requested it and it is known. */
export function lastRecords(head: string, wantsUsage: boolean, usage: Usage | undefined): Frame[] {
  const done: Frame = { data: "[DONE]" };
  return wantsUsage && usage !== undefined
    ? [{ data: `${head}],"usage":${JSON.stringify(renderUsage(usage))}}` }, done]
    : [done];
}
