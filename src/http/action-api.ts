// A video format with its action in the query: one path for create and status requests.
import { GatewayError } from "../canonical/error.ts";
import type { VideoClient } from "../dialects/video/client.ts";
import { actionNotFound, actionQuestion, actionTaskId } from "../dialects/video/index.ts";
import type { HandlerContext, QueryParameter } from "./endpoint.ts";
import { queryOf } from "./target.ts";
import { askTask, contextOf, countPoll, readValid, submitTask, type VideoPartsOf } from "./videos.ts";
import { writeJson } from "./write.ts";

type Act = (parts: VideoPartsOf, client: VideoClient, visit: HandlerContext) => Promise<Response>;

/** An unknown task is not an error here: clients read it in the data. */
async function question(parts: VideoPartsOf, client: VideoClient, visit: HandlerContext): Promise<Response> {
  countPoll(parts, visit);
  const { wire } = await readValid(parts, visit, actionQuestion, false);
  try {
    return await askTask(parts, client, visit, actionTaskId(wire));
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.kind !== "object_not_found") throw thrown;
    return writeJson(actionNotFound(contextOf(parts, visit)), visit.requestId);
  }
}

const known: ReadonlyMap<string, Act> = new Map<string, Act>([
  ["CVSync2AsyncSubmitTask", submitTask],
  ["CVSync2AsyncGetResult", question],
]);

export const actionQuery: readonly QueryParameter[] = [
  {
    name: "Action",
    description: "The action to run.",
    required: true,
    schema: { type: "string", enum: [...known.keys()] },
  },
  {
    name: "Version",
    description: "The API version, such as 2022-08-31.",
    required: true,
    schema: { type: "string" },
  },
];

function required(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value !== null && value !== "") return value;
  throw new GatewayError("missing_required_parameter", `Missing required parameter: '${name}'.`, { param: name });
}

/** Runs the action of the query. */
export function actions(parts: VideoPartsOf, client: VideoClient, visit: HandlerContext): Promise<Response> {
  const searchParams = queryOf(visit.request);
  const action = required(searchParams, "Action");
  required(searchParams, "Version");
  const act = known.get(action);
  if (act !== undefined) return act(parts, client, visit);
  const names = [...known.keys()].map((name) => `'${name}'`).join(" or ");
  throw new GatewayError("invalid_value", `Invalid 'Action': it must be ${names}.`, { param: "Action" });
}
