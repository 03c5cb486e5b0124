// The OpenAPI document, made from the rows and from the schemas that validate.
import type { AskEndpoint, Endpoint, FormRule } from "./endpoint.ts";
import { replySchemas } from "./reply-schemas.ts";
import { writeJson } from "./write.ts";

const errorEnvelope = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
      },
    },
  },
} as const;

const failure = (description: string) => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } },
});

const failures = {
  "400": failure("The request is not valid; `param` names the field."),
  "401": failure("No key, or a key that is not valid."),
  "404": failure("Unknown model or path."),
  "413": failure("The body is too large."),
  "415": failure("Content type or encoding is not supported."),
  "429": failure("Over a rate; `Retry-After` says how long to wait."),
  "502": failure("The provider could not be reached or made no sense."),
  "503": failure("Nobody can answer right now."),
  "504": failure("The provider was too slow."),
} as const;

function parameters(endpoint: Endpoint) {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const [header] = endpoint.kind === "ask" ? (endpoint.requiredHeader ?? []) : [];
  const required =
    header === undefined ? [] : [{ name: header, in: "header", required: true, schema: { type: "string" } }];
  const query = (endpoint.query ?? []).map((parameter) => ({ ...parameter, in: "query" }));
  return [...inPath, ...required, ...query];
}

function success(endpoint: Endpoint) {
  const schema = replySchemas[endpoint.operationId] ?? { type: "object" };
  const json = { "application/json": { schema } };
  const streams = endpoint.kind === "ask" && endpoint.dialect.stream !== undefined;
  const others = endpoint.replyTypes ?? [];
  if (others.length > 0) {
    const binary = Object.fromEntries(others.map((type) => [type, { schema: { type: "string", format: "binary" } }]));
    return { description: "The reply.", content: binary };
  }
  const content = streams ? { ...json, "text/event-stream": { schema: { type: "string" } } } : json;
  return { description: streams ? "The reply; an event stream when `stream` is true." : "The reply.", content };
}

function requestBody(schema: ObjectSchema, form: FormRule | undefined, other?: ObjectSchema) {
  const json = form?.only
    ? {}
    : { "application/json": { schema: other === undefined ? schema : { anyOf: [other, schema] } } };
  const multipart = form === undefined ? {} : { "multipart/form-data": { schema: formSchema(schema, form) } };
  return { required: true, content: { ...json, ...multipart } };
}

interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** The fields of the body and the files beside them. */
function formSchema(schema: ObjectSchema, { files }: FormRule) {
  const parts = Object.entries(files).map(([name, description]) => [
    name,
    { type: "string", format: "binary", description },
  ]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(parts) } };
}

/** Fields that the path can fill are not required of the body. */
function bodySchema({ dialect, fromPath }: AskEndpoint): ObjectSchema {
  const schema: ObjectSchema = JSON.parse(JSON.stringify(dialect.request.schema));
  if (fromPath === undefined) return schema;
  return { ...schema, required: schema.required?.filter((name) => !fromPath.includes(name)) };
}

const securityOf = {
  bearer: { bearer: [] },
  "x-api-key": { apiKey: [] },
  "x-goog-api-key": { googleKey: [] },
  query: { queryKey: [] },
} as const;

/** The second shape of a path; undefined where there is none, or none that looks otherwise. */
function otherSchema({ dialect, other }: AskEndpoint): ObjectSchema | undefined {
  const schema = other?.dialect.request.schema;
  return schema === undefined || schema === dialect.request.schema ? undefined : JSON.parse(JSON.stringify(schema));
}

function bodyOf(endpoint: Endpoint) {
  if (endpoint.kind === "ask")
    return { requestBody: requestBody(bodySchema(endpoint), endpoint.form, otherSchema(endpoint)) };
  const { body } = endpoint;
  return body === undefined ? {} : { requestBody: requestBody(JSON.parse(JSON.stringify(body.schema)), body.form) };
}

function operation(endpoint: Endpoint) {
  const { access } = endpoint;
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    security: access.key === "none" ? [] : access.carriers.map((carrier) => securityOf[carrier]),
    parameters: parameters(endpoint),
    ...bodyOf(endpoint),
    responses: { "200": success(endpoint), ...(access.key === "none" ? {} : failures) },
  };
}

/** The OpenAPI 3.1 document of these rows. */
export function document(rows: readonly Endpoint[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of rows) {
    const path = endpoint.path.replace("...}", "}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Turnpike", version: "0.1.0", description: "One address and one key in front of every AI model." },
    paths,
    components: {
      schemas: { ErrorResponse: errorEnvelope },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        googleKey: { type: "apiKey", in: "header", name: "x-goog-api-key" },
        queryKey: { type: "apiKey", in: "query", name: "key" },
      },
    },
  };
}

/** `GET /openapi.json`. */
export function openapi(rows: readonly Endpoint[], requestId: string): Response {
  return writeJson(document(rows), requestId);
}
