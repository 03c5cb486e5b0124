// The rows of the admin API: every verb of every resource with its path, parameters and schemas.
import { type TObject, type TProperties, Type } from "typebox";
import { type Admin, type AdminReply, bodyOf, objectNameOf } from "../admin/admin.ts";
import { restrictedFields } from "../admin/permissions.ts";
import { maxLimit } from "../admin/query.ts";
import { type Resource, type VerbName, verbsOf } from "../admin/resource.ts";
import type { JsonObject } from "../lib/json.ts";
import { adminCaller, type CallerParts } from "./admin-caller.ts";
import type { HandlerContext, HandlerEndpoint, KeyRule, Method, QueryParameter } from "./endpoint.ts";
import { protocols } from "./protocols.ts";
import { type ReadLimits, readJson } from "./read.ts";
import { queryOf } from "./target.ts";
import { writeJson } from "./write.ts";

/** The dependencies of the rows, as a function because the table is also used without them. */
type AdminPartsOf = () => CallerParts & {
  readonly admin: Admin;
  readonly limits: ReadLimits;
};

const prefix = "/admin/api";
const byAdmin: KeyRule = { key: "admin" };

interface Place {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
}

const article = (title: string): string => (/^[aeiou]/.test(title) ? `an ${title}` : `a ${title}`);

function placeOf(resource: Resource, verb: VerbName): Place {
  const { name, title, actions = {} } = resource;
  const [all, one] = [`${prefix}/${name}`, `${prefix}/${name}/{id}`];
  const usual: Readonly<Record<string, Place>> = {
    list: { method: "GET", path: all, summary: `Lists ${name}.` },
    get: { method: "GET", path: one, summary: `Retrieves ${article(title)}.` },
    create: { method: "POST", path: all, summary: `Creates ${article(title)}.` },
    update: { method: "PATCH", path: one, summary: `Changes ${article(title)}.` },
    delete: { method: "DELETE", path: one, summary: `Deletes ${article(title)}.` },
  };
  const action = actions[verb];
  if (action === undefined) return usual[verb] as Place;
  const path = `${action.scope === "object" ? one : all}/${verb}`;
  return { method: "POST", path, summary: action.summary };
}

const camel = (text: string): string => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function operationId({ name }: Resource, verb: VerbName): string {
  const noun = camel(`-${name}`);
  return `${camel(verb)}Admin${noun}`;
}

const pageParameters: readonly QueryParameter[] = [
  {
    name: "limit",
    description: "Number of objects to return.",
    schema: { type: "integer", minimum: 1, maximum: maxLimit, default: 20 },
  },
  { name: "cursor", description: "`next_cursor` of the page before.", schema: { type: "string" } },
];

function parametersOf({ list }: Resource, verb: VerbName): readonly QueryParameter[] {
  if (verb !== "list" || list === undefined) return [];
  const filters = Object.entries(list.filters.properties).map(([name, schema]) => ({
    name,
    description: String((schema as { description?: string }).description ?? name),
    schema: JSON.parse(JSON.stringify(schema)) as JsonObject,
  }));
  return [...filters, ...pageParameters];
}

/** Members that only some roles may read may be absent. */
function shownObject({ name, object }: Resource): TObject {
  const restricted = restrictedFields(name);
  const members = Object.entries(object.properties).map(([member, schema]) => [
    member,
    restricted.includes(member) ? Type.Optional(schema) : schema,
  ]);
  return Type.Object(Object.fromEntries(members) as TProperties);
}

function replySchema(resource: Resource, verb: VerbName): TObject {
  const { create, actions = {} } = resource;
  const object = shownObject(resource);
  if (verb === "list") return pageSchema(object);
  if (verb === "create") return Type.Object({ ...object.properties, ...create?.once });
  if (verb === "delete")
    return Type.Object({
      object: Type.Literal(`${objectNameOf(resource)}.deleted`),
      id: Type.String(),
      deleted: Type.Literal(true),
    });
  return actions[verb]?.reply ?? object;
}

const pageSchema = (object: TObject): TObject =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(object),
    has_more: Type.Boolean(),
    next_cursor: Type.Union([Type.String(), Type.Null()], { description: "Null on the last page." }),
  });

/** An action whose members may all be left out needs no body. */
async function readBody(parts: AdminPartsOf, request: Request, isAction: boolean): Promise<JsonObject> {
  if (isAction && request.body === null) return {};
  const { wire } = await readJson(request, parts().limits);
  return wire;
}

function written({ status, body, version }: AdminReply, requestId: string): Response {
  const response = writeJson(body, requestId, [], status);
  // Replies may show a secret once, and always reflect the present state.
  response.headers.set("cache-control", "no-store");
  if (version !== undefined) response.headers.set("etag", `"${version}"`);
  return response;
}

async function handle(
  parts: AdminPartsOf,
  resource: Resource,
  verb: VerbName,
  context: HandlerContext,
): Promise<Response> {
  const { request, requestId, params } = context;
  const principal = await adminCaller(parts(), context);
  const body =
    bodyOf(resource, verb) === undefined ? {} : await readBody(parts, request, resource.actions?.[verb] !== undefined);
  const reply = await parts().admin.run(resource, verb, {
    principal,
    requestId,
    query: queryOf(request),
    id: params.id ?? "",
    body,
    ifMatch: request.headers.get("if-match"),
    base: parts().linkBase ?? context.origin(),
  });
  return written(reply, requestId);
}

function rowOf(parts: AdminPartsOf, resource: Resource, verb: VerbName): HandlerEndpoint {
  const schema = bodyOf(resource, verb);
  return {
    kind: "plain",
    ...placeOf(resource, verb),
    operationId: operationId(resource, verb),
    access: byAdmin,
    ...protocols.openai,
    tag: "Admin",
    reply: replySchema(resource, verb),
    query: parametersOf(resource, verb),
    ...(schema === undefined ? {} : { body: { schema } }),
    handle: (context) => handle(parts, resource, verb, context),
  };
}

/** Every row of the admin API. */
export function adminEndpoints(resources: readonly Resource[], parts: AdminPartsOf): readonly HandlerEndpoint[] {
  return resources.flatMap((resource) => verbsOf(resource).map((verb) => rowOf(parts, resource, verb)));
}
