// OpenAI's models in an Azure resource: models are named by their deployments, and paths depend on the API version.

import type { UpstreamRequest } from "../dialects/dialect.ts";
import { openaiChat, openaiCompletions, openaiEmbeddings, openaiImages, openaiResponses } from "../dialects/index.ts";
import { type AccountAccess, type AccountEntry, inHeader } from "./credentials.ts";
import { openaiAudio, prefersResponses, servesText } from "./openai.ts";
import type { HttpKind } from "./provider.ts";

/** Deployments may have any name; by convention it contains the model. Only these support text completion. */
const completesText = /gpt-3\.?5-turbo-instruct|davinci-002|babbage-002/;

/** Versions without a date belong to the API that has no deployments in its paths: `v1`, `preview`, `latest`. */
const dated = /^\d{4}-\d{2}-\d{2}/;

/** The URL may be copied with or without the paths that SDKs append to it. */
function resourceOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/openai(?:\/v1|\/deployments\/[^/]+)?$/, "");
}

/** https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle */
function currentPath(call: UpstreamRequest, version: string | undefined): string {
  const query = version === undefined || version === "v1" ? "" : `?api-version=${encodeURIComponent(version)}`;
  return `openai/v1/${call.path}${query}`;
}

/**
 * https://learn.microsoft.com/azure/ai-foundry/openai/reference: only these operations had the deployment in the path;
 * it is the body's model everywhere else.
 */
const deployed = new Set([
  ...["chat/completions", "completions", "embeddings", "images/generations", "images/edits"],
  ...["audio/speech", "audio/transcriptions", "audio/translations"],
]);

function datedPath(call: UpstreamRequest, version: string): string {
  const query = `?api-version=${encodeURIComponent(version)}`;
  if (!deployed.has(call.path)) return `openai/${call.path}${query}`;
  return `openai/deployments/${encodeURIComponent(String(call.body.model))}/${call.path}${query}`;
}

function access({ baseUrl, account }: AccountEntry): AccountAccess {
  const version = account?.apiVersion;
  return {
    baseUrl: resourceOf(baseUrl),
    rewritePath: (call) => ({
      ...call,
      path: version !== undefined && dated.test(version) ? datedPath(call, version) : currentPath(call, version),
    }),
  };
}

export const azure: HttpKind = {
  name: "azure",
  environment: { credential: "AZURE_OPENAI_API_KEY", baseUrl: "AZURE_OPENAI_ENDPOINT" },
  dialects: [openaiChat, openaiResponses, openaiCompletions, openaiEmbeddings, openaiImages, ...openaiAudio],
  supports: servesText(completesText),
  prefers: prefersResponses,
  origin: "azure",
  options: { customTools: true },
  signer: inHeader("api-key"),
  // Without a model list: the service lists what could be deployed, not what is.
  account: { members: { apiVersion: ["OPENAI_API_VERSION"] } },
  access,
};
