// Stored responses over HTTP: retrieve, stream, list input items, cancel, delete.
import { GatewayError } from "../canonical/error.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Responses } from "../gateway/responses/responses.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ErrorFormat, HandlerContext, HandlerEndpoint, KeyRule, QueryParameter } from "./endpoint.ts";
import { queryOf } from "./target.ts";
import { writeLargeJson, writeReply } from "./write.ts";

const path = "/v1/responses/{response_id}";

const include: QueryParameter = {
  name: "include[]",
  description: "Accepted for compatibility; all stored data is returned.",
  schema: { type: "array", items: { type: "string" } },
};

const following: readonly QueryParameter[] = [
  include,
  {
    name: "stream",
    description: "Whether to stream the events of a background response.",
    schema: { type: "boolean", default: false },
  },
  {
    name: "starting_after",
    description:
      "With `stream`: the sequence number after which the stream starts. The header `Last-Event-ID` has the same effect.",
    schema: { type: "integer", minimum: 0 },
  },
];

const paging: readonly QueryParameter[] = [
  include,
  { name: "after", description: "ID of the item after which the page starts.", schema: { type: "string" } },
  {
    name: "limit",
    description: "Number of items to return.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  },
  {
    name: "order",
    description: "Sort order; `desc` returns the newest items first.",
    schema: { type: "string", enum: ["asc", "desc"], default: "desc" },
  },
];

/** The response, its owner, and the query. */
interface Target {
  readonly id: string;
  readonly owner: string;
  parameter(name: string): string | null;
}

function targetOf({ request, params, caller }: HandlerContext): Target {
  const searchParams = queryOf(request);
  return { id: params.response_id ?? "", owner: caller?.keyId ?? "", parameter: (name) => searchParams.get(name) };
}

/** The sequence number after which events are sent; -1 for all. */
function startingAfter({ parameter }: Target, { headers }: Request): number {
  const query = parameter("starting_after") ?? "";
  const [param, text] =
    query === "" ? ["Last-Event-ID", headers.get("last-event-id") ?? ""] : ["starting_after", query];
  if (text === "") return -1;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new GatewayError("invalid_value", `'${param}' must be the sequence number of an event.`, { param });
}

/** The rows of stored responses. `responses` is a function because the table is also used without it. */
export function responseRows(
  responses: () => Responses,
  side: ErrorFormat & { readonly access: KeyRule; readonly dialect: Dialect },
): readonly HandlerEndpoint[] {
  const { dialect, ...common } = side;
  const row = { kind: "plain", ...common } as const;
  const json = (answer: (target: Target) => Promise<JsonObject>) => async (visit: HandlerContext) =>
    writeLargeJson(await answer(targetOf(visit)), visit.requestId);
  return [
    {
      ...row,
      method: "GET",
      path,
      operationId: "getResponse",
      summary: "Retrieves a stored response. `stream` and `starting_after` stream a background response.",
      query: following,
      async handle(visit) {
        const target = targetOf(visit);
        const { id, owner } = target;
        if (target.parameter("stream") !== "true")
          return writeLargeJson(await responses().get(id, owner), visit.requestId);
        const after = startingAfter(target, visit.request);
        return writeReply(await responses().follow(id, owner, after, dialect), visit.requestId, []);
      },
    },
    {
      ...row,
      method: "DELETE",
      path,
      operationId: "deleteResponse",
      summary: "Deletes a stored response and cancels it if it is in progress.",
      handle: json(({ id, owner }) => responses().remove(id, owner)),
    },
    {
      ...row,
      method: "GET",
      path: `${path}/input_items`,
      operationId: "listResponseInput",
      summary: "Lists the input items of a stored response.",
      query: paging,
      handle: json(({ id, owner, parameter }) => responses().listInput(id, owner, parameter)),
    },
    {
      ...row,
      method: "POST",
      path: `${path}/cancel`,
      operationId: "cancelResponse",
      summary: "Cancels a background response.",
      handle: json(({ id, owner }) => responses().cancel(id, owner)),
    },
  ];
}
