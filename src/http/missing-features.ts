// Well-known paths of the supported APIs that this gateway does not have, for a 404 that names the feature.
import { GatewayError } from "../canonical/error.ts";

/** The feature and its path prefixes, with or without their version. The first match is used. */
const features: readonly (readonly [name: string, path: RegExp])[] = [
  ["Files", /^(?:\/upload)?\/(?:v1\w*\/)?files(?:$|[/:](?!.*:download$))/],
  ["Uploads", /^\/(?:v1\/)?uploads(?:\/|$)/],
  ["Message Batches", /^\/(?:v1\/)?messages\/batches(?:\/|$)/],
  ["Batches", /^\/(?:v1\w*\/)?batches(?:[/:]|$)/],
  ["Batches", /:(?:batchGenerateContent|asyncBatchEmbedContent)$/],
  ["Fine-tuning", /^\/(?:v1\/)?fine_tuning(?:\/|$)/],
  ["Assistants", /^\/(?:v1\/)?assistants(?:\/|$)/],
  ["Threads", /^\/(?:v1\/)?threads(?:\/|$)/],
  ["Vector stores", /^\/(?:v1\/)?vector_stores(?:\/|$)/],
  ["Realtime", /^\/(?:v1\/)?realtime(?:\/|$)/],
  ["Live", /\.BidiGenerate\w+$/],
  ["Conversations", /^\/(?:v1\/)?conversations(?:\/|$)/],
  ["Containers", /^\/(?:v1\/)?containers(?:\/|$)/],
  ["Evals", /^\/(?:v1\/)?evals(?:\/|$)/],
  ["Skills", /^\/(?:v1\/)?skills(?:\/|$)/],
  ["Stored chat completions", /^\/(?:v1\/)?chat\/completions\/[^/]+(?:\/messages)?$/],
  ["Cached contents", /^\/v1\w*\/cachedContents(?:[/:]|$)/],
  ["Tuned models", /^\/v1\w*\/tunedModels(?:[/:]|$)/],
  ["File search stores", /^(?:\/upload)?\/v1\w*\/fileSearchStores(?:[/:]|$)/],
  ["Corpora", /^\/v1\w*\/corpora(?:[/:]|$)/],
  ["Interactions", /^\/v1\w*\/interactions(?:[/:]|$)/],
  ["Ephemeral tokens", /^\/v1\w*\/auth_tokens(?:[/:]|$)/],
];

/** The 404 for a path of a feature that this gateway does not offer; null for any other path. */
export function missingFeature(path: string): GatewayError | null {
  const name = features.find(([, pattern]) => pattern.test(path))?.[0];
  if (name === undefined) return null;
  return new GatewayError(
    "not_found",
    `This gateway does not offer ${name}. GET /openapi.json lists the supported paths.`,
  );
}
