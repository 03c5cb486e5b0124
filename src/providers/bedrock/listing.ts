// What an account on Bedrock can ask: models by themselves, and profiles that spread a model over regions.
import { refusalError } from "../../dialects/upstream-error.ts";
import { isObject, type Json } from "../../lib/json.ts";
import type { ListedModel } from "../model-list.ts";

/** Fetches one list, with proof of who asks. */
export type Fetch = (path: string) => Promise<Response>;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html */
const modelsPath = "foundation-models?byOutputModality=TEXT&byInferenceType=ON_DEMAND";
/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html */
const profilesPath = "inference-profiles?maxResults=1000";

const objectsOf = (body: unknown, member: string) => {
  const list = isObject(body) ? body[member] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
};

const named = (id: Json | undefined, name: Json | undefined, ownedBy: Json | undefined): ListedModel[] =>
  typeof id !== "string"
    ? []
    : [
        {
          id,
          ...(typeof name === "string" ? { displayName: name } : {}),
          ...(typeof ownedBy === "string" ? { ownedBy } : {}),
        },
      ];

async function listOf(fetch: Fetch, path: string): Promise<unknown> {
  const response = await fetch(path);
  if (response.ok) return response.json();
  throw refusalError({ status: response.status, message: "The provider refused to list its models." });
}

/** Both lists as one; throws when either cannot be had. */
export async function listModels(fetch: Fetch): Promise<ListedModel[]> {
  const [models, profiles] = await Promise.all([listOf(fetch, modelsPath), listOf(fetch, profilesPath)]);
  return [
    ...objectsOf(models, "modelSummaries").flatMap((model) =>
      named(model.modelId, model.modelName, model.providerName),
    ),
    ...objectsOf(profiles, "inferenceProfileSummaries").flatMap((profile) =>
      named(profile.inferenceProfileId, profile.inferenceProfileName, "aws"),
    ),
  ];
}
