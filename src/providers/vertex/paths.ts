// Where calls go on Vertex: the paths of a project in a location, for Google's own models and for Anthropic's.
import { GatewayError } from "../../canonical/error.ts";
import type { UpstreamDialect, UpstreamRequest } from "../../dialects/dialect.ts";
import { anthropicCount, anthropicMessages, geminiCount } from "../../dialects/index.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";

/** A project and where its models are asked. */
export interface Place {
  readonly project: string;
  readonly location: string;
}

/** Locations of several regions have hosts of their own; `global` has the bare one. */
const multiRegional = new Set(["us", "eu"]);

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations, as Google's and Anthropic's own SDKs do it. */
export function hostOf(location: string): string {
  if (location === "global") return "https://aiplatform.googleapis.com";
  if (multiRegional.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

const root = ({ project, location }: Place): string =>
  `projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`;

/** Said in the body here, where Anthropic's own service has a header for it. */
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

/** Counting has one path for all models, so that the body must name one. */
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

/** Roles are required here, and a content without one is the user's. */
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

/** The call on the paths of this project. */
export function placedCall(call: UpstreamRequest, dialect: UpstreamDialect, place: Place): UpstreamRequest {
  if (dialect === anthropicMessages) return messagesCall(call, place);
  return dialect === anthropicCount ? messagesCountCall(call, place) : contentCall(call, dialect, place);
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation: tasks are Google's own models'. */
export function placedTask(call: UpstreamRequest, place: Place): UpstreamRequest {
  return { ...call, path: `v1/${root(place)}/publishers/google/${call.path}` };
}
