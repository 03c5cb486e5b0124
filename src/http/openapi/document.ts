// The OpenAPI document, built from the rows and the schemas that validate requests.
import { version } from "../../../package.json";
import type { Endpoint, FormRule, ModelEndpoint } from "../endpoint.ts";
import { type Description, describe } from "./descriptions.ts";
import { errorSchemas, failures } from "./error-schemas.ts";
import { examples, pathExample } from "./examples.ts";
import { replySchemas } from "./response-schemas.ts";
import { simplify } from "./simplify.ts";

interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

const plain = (schema: unknown): ObjectSchema => simplify(JSON.parse(JSON.stringify(schema))) as ObjectSchema;

function parameters(endpoint: Endpoint) {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    example: pathExample(endpoint.path, name),
  }));
  const [header] = endpoint.kind === "ask" ? (endpoint.requiredHeader ?? []) : [];
  const required =
    header === undefined ? [] : [{ name: header, in: "header", required: true, schema: { type: "string" } }];
  const query = (endpoint.query ?? []).map((parameter) => ({ ...parameter, in: "query" }));
  return [...inPath, ...required, ...query];
}

function success(endpoint: Endpoint, { reply }: Description) {
  const others = endpoint.replyTypes ?? [];
  if (endpoint.kind === "plain" && endpoint.reply !== undefined)
    return { description: "The response.", content: { "application/json": { schema: plain(endpoint.reply) } } };
  if (reply === undefined) {
    const schema = (type: string) =>
      /^text\/|openmetrics/.test(type) ? { type: "string" } : { type: "string", format: "binary" };
    return {
      description: "The response.",
      content: Object.fromEntries(others.map((type) => [type, { schema: schema(type) }])),
    };
  }
  const json = { "application/json": { schema: { $ref: `#/components/schemas/${reply}` } } };
  const streams = endpoint.kind === "ask" && endpoint.dialect.stream !== undefined;
  const content = streams ? { ...json, "text/event-stream": { schema: { type: "string" } } } : json;
  return { description: streams ? "The response, or an event stream if `stream` is true." : "The response.", content };
}

/** The fields of the form, including its files. */
function formSchema(schema: ObjectSchema, { files }: FormRule) {
  const parts = Object.entries(files).map(([name, description]) => [
    name,
    { type: "string", format: "binary", description },
  ]);
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(parts) } };
}

interface Body {
  readonly schema: ObjectSchema;
  /** A second shape of the same path. */
  readonly other?: ObjectSchema | undefined;
  readonly form?: FormRule | undefined;
}

function requestBody({ schema, other, form }: Body, { example }: Description) {
  const shown = example === undefined ? {} : { example: examples[example] };
  const json = { schema: other === undefined ? schema : { anyOf: [other, schema] }, ...shown };
  const content = {
    ...(form?.only ? {} : { "application/json": json }),
    ...(form === undefined
      ? {}
      : { "multipart/form-data": { schema: formSchema(schema, form), ...(form.only ? shown : {}) } }),
  };
  return { required: true, content };
}

/** Fields that the path can supply are not required in the body. */
function bodySchema({ dialect, fromPath }: ModelEndpoint): ObjectSchema {
  const schema = plain(dialect.request.schema);
  if (fromPath === undefined) return schema;
  return { ...schema, required: schema.required?.filter((name) => !fromPath.includes(name)) ?? [] };
}

/** The second shape of a path; undefined if there is none, or if it has the same schema. */
function otherSchema({ dialect, alternate }: ModelEndpoint): ObjectSchema | undefined {
  const schema = alternate?.dialect.request.schema;
  return schema === undefined || schema === dialect.request.schema ? undefined : plain(schema);
}

function bodyOf(endpoint: Endpoint): Body | null {
  if (endpoint.kind === "ask")
    return { schema: bodySchema(endpoint), other: otherSchema(endpoint), form: endpoint.form };
  return endpoint.body === undefined ? null : { schema: plain(endpoint.body.schema), form: endpoint.body.form };
}

const securityOf = {
  bearer: { bearer: [] },
  "x-api-key": { apiKey: [] },
  "x-goog-api-key": { googleKey: [] },
  query: { queryKey: [] },
} as const;

function securityFor(access: Endpoint["access"]) {
  if (access.key === "admin") return [securityOf.bearer];
  return access.key === "none" ? [] : access.carriers.map((carrier) => securityOf[carrier]);
}

function operation(endpoint: Endpoint) {
  const { access } = endpoint;
  const description = describe(endpoint);
  const body = bodyOf(endpoint);
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    tags: [description.tag],
    security: securityFor(access),
    parameters: parameters(endpoint),
    ...(body === null ? {} : { requestBody: requestBody(body, description) }),
    responses: {
      "200": success(endpoint, description),
      ...(access.key === "none" ? {} : failures(description.errors)),
    },
  };
}

const about =
  "One address and one key in front of every AI model. Google's paths also accept field names in snake_case and enum values in lower case.";

/** The OpenAPI 3.1 document of these rows. `server` is the URL at which this client reaches the gateway. */
export function document(rows: readonly Endpoint[], server: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of rows) {
    const path = endpoint.path.replace("...}", "}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Turnpike", version, description: about },
    servers: [{ url: server }],
    tags: [...new Set(rows.map((row) => describe(row).tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...errorSchemas, ...JSON.parse(JSON.stringify(replySchemas)) },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        googleKey: { type: "apiKey", in: "header", name: "x-goog-api-key" },
        queryKey: { type: "apiKey", in: "query", name: "key" },
      },
    },
  };
}
