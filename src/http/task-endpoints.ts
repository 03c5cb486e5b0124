// `GET /admin/api/tasks/{id}/content`: the video of a task, as it arrives, for a player in the console.
import { refuseUnknown } from "../admin/query.ts";
import { openTaskContent, type TaskContentParts } from "../admin/task-content.ts";
import { adminCaller, type CallerParts } from "./admin-caller.ts";
import type { HandlerContext, HandlerEndpoint } from "./endpoint.ts";
import { contentQuery, indexIn, writeContent } from "./openai-videos.ts";
import { protocols } from "./protocols.ts";
import { queryOf } from "./target.ts";

interface ContentParts extends CallerParts, TaskContentParts {}

/** What a browser shows by itself, and runs nothing of. Anything else is a file to save. */
const shownType = /^(?:video\/(?:mp4|webm|quicktime|ogg)|image\/(?:png|jpeg|webp|gif))$/;

const query = contentQuery.filter(({ name }) => name === "index");

async function handle(parts: ContentParts, context: HandlerContext): Promise<Response> {
  const { request, requestId, params } = context;
  const principal = await adminCaller(parts, context);
  const given = queryOf(request);
  refuseUnknown(
    given,
    query.map(({ name }) => name),
  );
  const wanted = {
    variant: "video",
    index: indexIn(given),
    range: request.headers.get("range"),
    signal: request.signal,
  };
  const content = await openTaskContent(parts, { principal, requestId }, params["id"] ?? "", wanted);
  const { headers } = content;
  headers.set("cache-control", "private, no-store");
  headers.set("x-content-type-options", "nosniff");
  headers.set("content-security-policy", "sandbox; default-src 'none'");
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (headers.has("content-type") && !shownType.test(type.trim().toLowerCase())) {
    headers.set("content-type", "application/octet-stream");
    headers.set("content-disposition", "attachment");
  }
  return writeContent(content, context);
}

/** The row of the video. */
export function taskContentEndpoint(parts: () => ContentParts): HandlerEndpoint {
  return {
    kind: "plain",
    method: "GET",
    path: "/admin/api/tasks/{id}/content",
    operationId: "getTaskContent",
    summary:
      "Returns the video of a task, with ranges. What a caller reads within an hour is one entry of the audit log.",
    access: { key: "admin" },
    ...protocols.openai,
    tag: "Admin",
    replyTypes: ["video/mp4", "video/webm", "application/octet-stream"],
    query,
    handle: (context) => handle(parts(), context),
  };
}
