// How the answer is made: the members of `generationConfig` and the fields of canon that stand there.
import type { ChatAsk, OutputFormat, Sampling } from "../../canonical/chat.ts";
import type { Extra, FieldName } from "../../canonical/warning.ts";
import { compact, isObject, type JsonObject } from "../../lib/json.ts";
import { unsupported } from "../errors.ts";
import { isAbsent } from "../shared/is-empty.ts";
import { optionalExact, optionalNumber } from "../shared/json-accessors.ts";
import type { SchemaInSubset } from "../shared/json-schema-subset.ts";
import { type Notes, noteField } from "../shared/warnings.ts";
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

function readFormat(config: JsonObject, extras: Extra[]): { readonly format?: OutputFormat } {
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

function readExtras(config: JsonObject, extras: Extra[]): void {
  for (const [name, value] of Object.entries(config)) {
    if (held.has(name) || value === undefined || isAbsent(value)) continue;
    extras.push({ path: `generationConfig.${name}`, rule: "drop" });
  }
}

/** Everything that canon knows of `generationConfig`; `extras` hears of the rest. */
export function readGeneration(config: JsonObject, extras: Extra[]) {
  readExtras(config, extras);
  const media = readMediaWish(config, extras);
  const stops = Array.isArray(config.stopSequences) ? config.stopSequences : [];
  const reasoning = readThinking(config.thinkingConfig);
  const count = config.candidateCount;
  const alternatives = typeof config.logprobs === "number" ? config.logprobs : 0;
  return {
    ...optionalNumber(config, "maxOutputTokens", "maxOutputTokens"),
    sampling: readSampling(config),
    stop: stops.filter((text): text is string => typeof text === "string" && text !== ""),
    choices: typeof count === "number" ? count : 1,
    ...(config.responseLogprobs === true ? { logprobs: alternatives } : {}),
    ...readFormat(config, extras),
    ...(media === undefined ? {} : { media }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** Structure that cannot be said is refused where the client insists on it, else told as a loss. */
function checkSchema({ exact, lost }: SchemaInSubset, strict: boolean | undefined, notes: Notes): void {
  if (lost.length > 0 && strict === true) {
    throw unsupported(notes.context.fieldPath("format"), `the schema uses ${lost.join(", ")}`);
  }
  if (!exact) noteField(notes, "approximated", "format");
}

function renderFormat(ask: ChatAsk, limits: ModelLimits, notes: Notes): JsonObject {
  const { format } = ask;
  if (format === undefined) return {};
  if (format.type === "text") return { responseMimeType: "text/plain" };
  if (ask.tools.length > 0 && !limits.jsonWithTools) {
    throw unsupported(notes.context.fieldPath("format"), "the model has no JSON mode beside tools");
  }
  if (format.type === "json") return { responseMimeType: "application/json" };
  const cleaned = limits.jsonSchema ? inJsonSubset(format.schema) : inOpenApiSubset(format.schema);
  checkSchema(cleaned, format.strict, notes);
  const member = limits.jsonSchema ? "responseJsonSchema" : "responseSchema";
  return { responseMimeType: "application/json", [member]: cleaned.schema };
}

/** Fields whose loss would make the reply say something false. */
function refuseFalsehoods(ask: ChatAsk, limits: ModelLimits, notes: Notes): void {
  const refuse = (field: FieldName, reason: string) => {
    throw unsupported(notes.context.fieldPath(field), reason);
  };
  if (!isAbsent({ ...ask.sampling.logitBias })) refuse("logitBias", "its token ids mean nothing there");
  if (ask.stop.length > maxStops) refuse("stop", `it takes at most ${maxStops} stop sequences`);
  if (ask.choices > 1 && ask.stream) refuse("choices", "a stream has one reply");
  if (ask.choices > limits.maxChoices) refuse("choices", `the model gives at most ${limits.maxChoices}`);
}

/** A penalty where the model takes one; zero means nothing. */
function penalty(ask: ChatAsk, name: "presencePenalty" | "frequencyPenalty", limits: ModelLimits, notes: Notes) {
  const value = ask.sampling[name];
  if (limits.penalties || value === undefined) return value;
  if (value !== 0) noteField(notes, "dropped", name);
  return undefined;
}

function outputBound(ask: ChatAsk, notes: Notes): number | undefined {
  const { maxOutputTokens: most } = notes.context;
  const wanted = ask.maxOutputTokens;
  if (wanted === undefined || most === undefined || wanted <= most) return wanted;
  noteField(notes, "approximated", "maxOutputTokens");
  return most;
}

/** `generationConfig`; an empty object when nothing has to be said. Throws for what must not be left out in silence. */
export function renderGeneration(ask: ChatAsk, limits: ModelLimits, notes: Notes): JsonObject {
  refuseFalsehoods(ask, limits, notes);
  const { temperature, topP, topK, seed } = ask.sampling;
  return compact({
    temperature,
    topP,
    topK,
    seed,
    presencePenalty: penalty(ask, "presencePenalty", limits, notes),
    frequencyPenalty: penalty(ask, "frequencyPenalty", limits, notes),
    maxOutputTokens: outputBound(ask, notes),
    stopSequences: ask.stop.length === 0 ? undefined : [...ask.stop],
    candidateCount: ask.choices > 1 ? ask.choices : undefined,
    responseLogprobs: ask.logprobs === undefined ? undefined : true,
    logprobs: ask.logprobs ? ask.logprobs : undefined,
    ...renderFormat(ask, limits, notes),
    ...renderMediaWish(ask.media),
    thinkingConfig: renderThinking(ask.reasoning, limits, notes),
  });
}
