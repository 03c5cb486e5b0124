// How the answer is made: the members of `generationConfig` and the fields of canon that stand there.
import type { ChatRequest, OutputFormat, Sampling } from "../../canonical/chat.ts";
import type { FieldName } from "../../canonical/request-field.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type JsonObject, omitUndefined } from "../../lib/json.ts";
import { unsupported } from "../errors.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { optionalExact, optionalNumber } from "../shared/json-accessors.ts";
import type { SchemaInSubset } from "../shared/json-schema-subset.ts";
import { type Warnings, warnField } from "../shared/warnings.ts";
import { enumType, readEnum } from "./enum-output.ts";
import { inJsonSubset } from "./json-schema.ts";
import { readMediaWish, renderMediaWish } from "./modalities.ts";
import type { ModelLimits } from "./model-capabilities.ts";
import { inOpenApiSubset, readSchema } from "./openapi-schema.ts";
import { readThinking, renderThinking } from "./reasoning.ts";

/** How many stop texts one request may name. */
export const maxStops = 5;

function readSampling(config: JsonObject): Sampling {
  return {
    ...optionalNumber(config, "temperature", "temperature"),
    ...optionalNumber(config, "topP", "topP"),
    ...optionalNumber(config, "topK", "topK"),
    ...optionalNumber(config, "presencePenalty", "presencePenalty"),
    ...optionalNumber(config, "frequencyPenalty", "frequencyPenalty"),
    ...optionalExact(config, "seed", "seed"),
  };
}

function readFormat(config: JsonObject, extras: UnmappedField[]): { readonly format?: OutputFormat } {
  const { responseMimeType: type, responseJsonSchema: json, responseSchema: older } = config;
  const choice =
    type === enumType ? readEnum(isObject(json) ? json : isObject(older) ? readSchema(older) : null) : null;
  if (choice !== null) return { format: choice };
  if (typeof type === "string" && type !== "" && type !== "text/plain" && type !== "application/json") {
    extras.push({ path: "generationConfig.responseMimeType", rule: "reject" });
    return {};
  }
  if (isObject(json)) return { format: { type: "schema", schema: json } };
  if (isObject(older)) return { format: { type: "schema", schema: readSchema(older) } };
  if (type === "application/json") return { format: { type: "json" } };
  return type === "text/plain" ? { format: { type: "text" } } : {};
}

/** Members that canon holds; they are read elsewhere. */
const held = new Set([
  "temperature",
  "topP",
  "topK",
  "seed",
  "candidateCount",
  "maxOutputTokens",
  "stopSequences",
  "presencePenalty",
  "frequencyPenalty",
  "responseLogprobs",
  "logprobs",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "thinkingConfig",
  "responseModalities",
  "imageConfig",
  "speechConfig",
]);

function readExtras(config: JsonObject, extras: UnmappedField[]): void {
  for (const [name, value] of Object.entries(config)) {
    if (held.has(name) || value === undefined || isAbsent(value)) continue;
    extras.push({ path: `generationConfig.${name}`, rule: "warn" });
  }
}

/** Everything that canon knows of `generationConfig`; `extras` hears of the rest. */
export function readGeneration(config: JsonObject, extras: UnmappedField[]) {
  readExtras(config, extras);
  const media = readMediaWish(config, extras);
  const stops = Array.isArray(config.stopSequences) ? config.stopSequences : [];
  const reasoning = readThinking(config.thinkingConfig);
  const count = config.candidateCount;
  const alternatives = typeof config.logprobs === "number" ? config.logprobs : 0;
  return {
    ...optionalNumber(config, "maxOutputTokens", "maxOutputTokens"),
    sampling: readSampling(config),
    stopSequences: stops.filter((text): text is string => typeof text === "string" && text !== ""),
    choices: typeof count === "number" ? count : 1,
    ...(config.responseLogprobs === true ? { logprobs: alternatives } : {}),
    ...readFormat(config, extras),
    ...(media === undefined ? {} : { media }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** Structure that cannot be said is refused where the client insists on it, else told as a loss. */
function checkSchema({ exact, lost }: SchemaInSubset, strict: boolean | undefined, warnings: Warnings): void {
  if (lost.length > 0 && strict === true) {
    throw unsupported(warnings.context.fieldPath("format"), `the schema uses unsupported keywords: ${lost.join(", ")}`);
  }
  if (!exact) warnField(warnings, "approximated", "format");
}

function renderFormat(request: ChatRequest, limits: ModelLimits, warnings: Warnings): JsonObject {
  const { format } = request;
  if (format === undefined) return {};
  if (format.type === "text") return { responseMimeType: "text/plain" };
  if (request.tools.length > 0 && !limits.jsonWithTools) {
    throw unsupported(
      warnings.context.fieldPath("format"),
      "this model does not support JSON mode in combination with tools",
    );
  }
  if (format.type === "json") return { responseMimeType: "application/json" };
  const cleaned = limits.jsonSchema ? inJsonSubset(format.schema) : inOpenApiSubset(format.schema);
  checkSchema(cleaned, format.strict, warnings);
  const member = limits.jsonSchema ? "responseJsonSchema" : "responseSchema";
  return { responseMimeType: "application/json", [member]: cleaned.schema };
}

/** Fields whose loss would make the reply say something false. */
function refuseFalsehoods(request: ChatRequest, limits: ModelLimits, warnings: Warnings): void {
  const refuse = (field: FieldName, reason: string) => {
    throw unsupported(warnings.context.fieldPath(field), reason);
  };
  if (!isAbsent({ ...request.sampling.logitBias })) refuse("logitBias", "token IDs differ between models");
  if (request.stopSequences.length > maxStops)
    refuse("stopSequences", `this model supports at most ${maxStops} stop sequences`);
  if (request.choices > 1 && request.stream) refuse("choices", "streams support only one choice");
  if (request.choices > limits.maxChoices)
    refuse("choices", `this model supports at most ${limits.maxChoices} choices`);
}

/** A penalty where the model takes one; zero means nothing. */
function penalty(
  request: ChatRequest,
  name: "presencePenalty" | "frequencyPenalty",
  limits: ModelLimits,
  warnings: Warnings,
) {
  const value = request.sampling[name];
  if (limits.penalties || value === undefined) return value;
  if (value !== 0) warnField(warnings, "dropped", name);
  return undefined;
}

function outputBound(request: ChatRequest, warnings: Warnings): number | undefined {
  const { maxOutputTokens: most } = warnings.context;
  const wanted = request.maxOutputTokens;
  if (wanted === undefined || most === undefined || wanted <= most) return wanted;
  warnField(warnings, "approximated", "maxOutputTokens");
  return most;
}

/** `generationConfig`; an empty object when nothing has to be said. Throws for what must not be left out in silence. */
export function renderGeneration(request: ChatRequest, limits: ModelLimits, warnings: Warnings): JsonObject {
  refuseFalsehoods(request, limits, warnings);
  const { temperature, topP, topK, seed } = request.sampling;
  return omitUndefined({
    temperature,
    topP,
    topK,
    seed,
    presencePenalty: penalty(request, "presencePenalty", limits, warnings),
    frequencyPenalty: penalty(request, "frequencyPenalty", limits, warnings),
    maxOutputTokens: outputBound(request, warnings),
    stopSequences: request.stopSequences.length === 0 ? undefined : [...request.stopSequences],
    candidateCount: request.choices > 1 ? request.choices : undefined,
    responseLogprobs: request.logprobs === undefined ? undefined : true,
    logprobs: request.logprobs ? request.logprobs : undefined,
    ...renderFormat(request, limits, warnings),
    ...renderMediaWish(request.media),
    thinkingConfig: renderThinking(request.reasoning, limits, warnings),
  });
}
