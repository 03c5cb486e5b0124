// Google's Vertex AI: Gemini, Veo and Claude in the operator's project, with a service account.

import { GatewayError } from "../../canonical/error.ts";
import type { UpstreamDialect, UpstreamRequest } from "../../dialects/dialect.ts";
import {
  anthropicCount,
  anthropicMessages,
  gemini,
  geminiCount,
  geminiImages,
  imagenImages,
  vertexEmbeddings,
} from "../../dialects/index.ts";
import { vertexVeo } from "../../dialects/video/index.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import {
  type Account,
  type AccountAccess,
  type AccountEntry,
  type AccountFault,
  bearer,
  bearerHeaders,
  type GetList,
  type SignerFactory,
} from "../credentials.ts";
import type { ListedModel } from "../model-list.ts";
import type { HttpKind } from "../provider.ts";
import { servesImages } from "../vendors.ts";
import { readServiceAccount, type ServiceAccount, tokensOf } from "./service-account.ts";

/** A project and the location of its models. */
interface Place {
  readonly project: string;
  readonly location: string;
}

/** Multi-region locations have hosts of their own; `global` has the host without a location. */
const multiRegional = new Set(["us", "eu"]);

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations, as in Google's and Anthropic's own SDKs. */
export function hostOf(location: string): string {
  if (location === "global") return "https://aiplatform.googleapis.com";
  if (multiRegional.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

const root = ({ project, location }: Place): string =>
  `projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`;

/** Sent in the body here; Anthropic's own service has a header for it. */
const anthropicVersion = "vertex-2023-10-16";

function withoutVersion(headers: UpstreamRequest["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name !== "anthropic-version"));
}

/** https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai: the model is in the path. */
function messagesCall(call: UpstreamRequest, place: Place): UpstreamRequest {
  const { model, ...body } = call.body;
  const name = String(model);
  if (/^\.*$/.test(name)) throw new GatewayError("model_not_found", "The model does not exist.", { param: "model" });
  const verb = body.stream === true ? "streamRawPredict" : "rawPredict";
  return {
    path: `v1/${root(place)}/publishers/anthropic/models/${encodeURIComponent(name)}:${verb}`,
    body: { anthropic_version: anthropicVersion, ...body },
    headers: withoutVersion(call.headers),
  };
}

/** Token counting has one path for all models, so the body must name the model. */
function messagesCountCall(call: UpstreamRequest, place: Place): UpstreamRequest {
  return {
    path: `v1/${root(place)}/publishers/anthropic/models/count-tokens:rawPredict`,
    body: { anthropic_version: anthropicVersion, ...call.body },
    headers: withoutVersion(call.headers),
  };
}

/** Google's own service accepts the request in an envelope; here it is sent without one. */
function countBody(body: JsonObject): JsonObject {
  const request = body.generateContentRequest ?? body.generate_content_request;
  const { model: _, ...bare } = isObject(request) ? request : body;
  return bare;
}

/** Roles are required here; a content without one is the user's. */
function withRoles(body: JsonObject): JsonObject {
  const { contents } = body;
  if (!Array.isArray(contents) || contents.every((content) => isObject(content) && content.role !== undefined)) {
    return body;
  }
  return {
    ...body,
    contents: contents.map((content) => (isObject(content) ? { role: "user", ...content } : content)),
  };
}

/** https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/projects.locations.publishers.models/generateContent */
function contentCall(call: UpstreamRequest, dialect: UpstreamDialect, place: Place): UpstreamRequest {
  const name = call.path.replace(/^v1beta\//, "");
  const below = name.startsWith("models/") ? `publishers/google/${name}` : name;
  const body = withRoles(dialect === geminiCount ? countBody(call.body) : call.body);
  return { ...call, path: `v1beta1/${root(place)}/${below}`, body };
}

/** The call with the paths of this project. */
function placedCall(call: UpstreamRequest, dialect: UpstreamDialect, place: Place): UpstreamRequest {
  if (dialect === anthropicMessages) return messagesCall(call, place);
  return dialect === anthropicCount ? messagesCountCall(call, place) : contentCall(call, dialect, place);
}

/**
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation: only Google's own models
 * have tasks.
 */
function placedTask(call: UpstreamRequest, place: Place): UpstreamRequest {
  return { ...call, path: `v1/${root(place)}/publishers/google/${call.path}` };
}

const claude = /claude/i;
const messages: ReadonlySet<unknown> = new Set([anthropicMessages, anthropicCount]);
/** The default of Google's own SDK. */
const defaultLocation = "global";

function keyOf({ serviceAccount }: Account): ServiceAccount | string | null {
  return serviceAccount === undefined ? null : readServiceAccount(serviceAccount);
}

function projectOf(account: Account): string | undefined {
  const key = keyOf(account);
  return account.project ?? (key === null || typeof key === "string" ? undefined : key.project);
}

function fault(account: Account, credential: unknown): AccountFault | null {
  const key = keyOf(account);
  if (typeof key === "string") return { member: "serviceAccount", problem: key };
  if (key === null && credential === null) {
    return { member: "serviceAccount", problem: "the key file of a service account is missing" };
  }
  if (projectOf(account) === undefined) return { member: "project", problem: "the project is missing" };
  const { location = defaultLocation } = account;
  return /^[a-z0-9-]+$/.test(location)
    ? null
    : { member: "location", problem: "the location must be a name such as us-east5" };
}

const publishers: readonly (readonly [string, RegExp])[] = [
  ["google", /^(?:gemini|veo)/],
  ["anthropic", claude],
];

/** https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list */
function readModels(body: unknown, publisher: string, known: RegExp): ListedModel[] {
  const models = isObject(body) && Array.isArray(body.publisherModels) ? body.publisherModels : [];
  return models.flatMap((model) => {
    const id = isObject(model) && typeof model.name === "string" ? (model.name.split("/models/")[1] ?? "") : "";
    return known.test(id) ? [{ id, ownedBy: publisher }] : [];
  });
}

/** The models of all supported publishers. */
async function listModels(baseUrl: string, project: string, get: GetList): Promise<ListedModel[]> {
  const lists = publishers.map(async ([publisher, known]) => {
    const url = `${baseUrl}/v1beta1/publishers/${publisher}/models?pageSize=1000`;
    return readModels(await get(url, { "x-goog-user-project": project }), publisher, known);
  });
  return (await Promise.all(lists)).flat();
}

const signer: SignerFactory = (entry, dependencies) => {
  const key = keyOf(entry.account ?? {});
  if (key === null || typeof key === "string") return bearer(entry, dependencies);
  const tokens = tokensOf(key, dependencies);
  return { sign: async () => bearerHeaders(await tokens.get()), onUnauthorized: tokens.drop };
};

function access({ baseUrl, account = {} }: AccountEntry): AccountAccess {
  const place: Place = { project: projectOf(account) ?? "", location: account.location ?? defaultLocation };
  return {
    rewritePath: (call, dialect) => placedCall(call, dialect, place),
    rewriteTaskPath: (call) => placedTask(call, place),
    list: (get) => listModels(baseUrl.replace(/\/+$/, ""), place.project, get),
  };
}

export const vertex: HttpKind = {
  name: "vertex",
  environment: { baseUrl: "GOOGLE_VERTEX_BASE_URL" },
  dialects: [anthropicMessages, anthropicCount, gemini, geminiCount, vertexEmbeddings, geminiImages, imagenImages],
  videos: [vertexVeo],
  supports: (dialect, model) => messages.has(dialect) === claude.test(model) && servesImages(dialect, model),
  origin: "vertex",
  mediaSchemes: ["gs:"],
  originOf: (model) => (claude.test(model) ? "vertex-claude" : "vertex"),
  signer,
  access,
  account: {
    members: {
      serviceAccount: ["GOOGLE_APPLICATION_CREDENTIALS"],
      project: ["GOOGLE_CLOUD_PROJECT"],
      location: ["GOOGLE_CLOUD_LOCATION"],
    },
    baseUrl: ({ location = defaultLocation }) => hostOf(location),
    fault,
  },
};
