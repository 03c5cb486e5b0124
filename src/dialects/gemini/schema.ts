// The schema of a request in this dialect: strict in the fields that it names, under both of their spellings, open to others.
import { type TProperties, type TSchema, type TSchemaOptions, Type } from "typebox";
import { enumeration, object, optional } from "../schema-helpers.ts";
import { snakeCase } from "./field-case.ts";

/** Every property under its camelCase and its snake_case name. */
function spelled(properties: TProperties): TProperties {
  const both: TProperties = {};
  for (const [name, schema] of Object.entries(properties)) {
    both[name] = schema;
    both[snakeCase(name)] = schema;
  }
  return both;
}

const message = (properties: TProperties, more: TSchemaOptions = {}): TSchema =>
  optional("object", { ...more, properties: spelled(properties) });

const number = (minimum: number, maximum: number, description: string): TSchema =>
  optional("number", { minimum, maximum, description });

/** Words that some clients write in small letters. */
const words = (values: readonly string[], description: string): TSchema =>
  enumeration([...values, ...values.map((value) => value.toLowerCase())], { description });

const media: TProperties = {
  inlineData: message({ mimeType: optional("string"), data: optional("string"), displayName: optional("string") }),
  fileData: message({ mimeType: optional("string"), fileUri: optional("string"), displayName: optional("string") }),
};

const part = object(
  spelled({
    text: optional("string"),
    thought: optional("boolean"),
    thoughtSignature: optional("string"),
    ...media,
    functionCall: message({ id: optional("string"), name: optional("string"), args: optional("object") }),
    functionResponse: message({
      id: optional("string"),
      name: optional("string"),
      response: optional("object"),
      parts: optional("array", { items: object(spelled(media)) }),
    }),
    executableCode: optional("object"),
    codeExecutionResult: optional("object"),
    videoMetadata: optional("object"),
    mediaResolution: optional(["object", "string"]),
  }),
);

const contentMembers: TProperties = { role: optional("string"), parts: optional("array", { items: part }) };

/** One content; some clients send the system instruction as bare text. */
const instruction = optional(["object", "string"], { properties: contentMembers, description: "System prompt." });

const declaration = object(
  spelled({
    name: Type.String({ minLength: 1 }),
    description: optional("string"),
    parameters: optional("object", { description: "Schema of the parameters, in OpenAPI's subset of JSON Schema." }),
    parametersJsonSchema: optional("object", { description: "JSON Schema of the parameters." }),
  }),
);

const tool = object(spelled({ functionDeclarations: optional("array", { items: declaration }) }));

const toolConfig = message(
  {
    functionCallingConfig: message({
      mode: words(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"], "Configuration of function calling."),
      allowedFunctionNames: optional("array", { items: { type: "string" } }),
    }),
    retrievalConfig: optional("object"),
    includeServerSideToolInvocations: optional("boolean"),
  },
  { description: "Configuration of tool use." },
);

const thinking: TProperties = {
  includeThoughts: optional("boolean", { description: "Whether to include thought summaries in the response." }),
  thinkingBudget: optional("integer", {
    minimum: -1,
    description: "Thinking budget in tokens. 0 turns thinking off; -1 lets the model decide.",
  }),
  thinkingLevel: words(
    ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"],
    "How much the model should reason.",
  ),
};

const generationConfig = message(
  {
    temperature: number(0, 2, "Randomness."),
    topP: number(0, 1, "Nucleus sampling: the share of probability mass to sample from."),
    topK: optional("integer", { minimum: 1, description: "Only sample from the top K tokens." }),
    seed: optional("integer", {
      format: "int64",
      description: "Seed for reproducible sampling, on a best-effort basis.",
    }),
    candidateCount: optional("integer", {
      minimum: 1,
      maximum: 8,
      default: 1,
      description: "Number of choices to generate.",
    }),
    maxOutputTokens: optional("integer", {
      minimum: 1,
      description: "The maximum number of output tokens, including reasoning tokens.",
    }),
    stopSequences: optional("array", {
      maxItems: 5,
      items: { type: "string" },
      description: "Sequences at which the model stops generating.",
    }),
    presencePenalty: number(-2, 2, "Penalizes tokens that already appear in the text, which favors new topics."),
    frequencyPenalty: number(-2, 2, "Penalizes tokens by how often they appear in the text, which reduces repetition."),
    responseLogprobs: optional("boolean", { description: "Whether to return log probabilities of the output tokens." }),
    logprobs: optional("integer", {
      minimum: 0,
      maximum: 20,
      description: "Number of most likely tokens to return at each position.",
    }),
    responseMimeType: optional("string", { description: "`text/plain`, `application/json` or `text/x.enum`." }),
    responseSchema: optional("object", { description: "Schema of the output, in OpenAPI's subset of JSON Schema." }),
    responseJsonSchema: optional("object", { description: "JSON Schema of the output." }),
    responseModalities: optional("array", { items: { type: "string" }, description: "`TEXT`, `IMAGE`, `AUDIO`." }),
    imageConfig: message(
      { aspectRatio: optional("string"), imageSize: optional("string") },
      { description: "Configuration of generated images." },
    ),
    thinkingConfig: message(thinking, { description: "Configuration of thinking." }),
    speechConfig: optional("object", { description: "Configuration of speech output." }),
    mediaResolution: optional("string", { description: "Resolution at which input media are processed." }),
    audioTimestamp: optional("boolean"),
  },
  { description: "Configuration of the generation." },
);

const requestMembers: TProperties = {
  contents: Type.Array(object(contentMembers), {
    minItems: 1,
    description: "The messages of the conversation so far.",
  }),
  ...spelled({
    systemInstruction: instruction,
    tools: optional("array", { items: tool, description: "Tools that the model can use." }),
    toolConfig,
    generationConfig,
    safetySettings: optional("array", {
      items: { type: "object" },
      description: "Thresholds for blocking unsafe content.",
    }),
    cachedContent: optional("string", { description: "Name of the cached content to use as a prefix." }),
    labels: optional("object", { description: "Labels of the request." }),
    serviceTier: words(["UNSPECIFIED", "STANDARD", "FLEX", "PRIORITY"], "Service tier to use for the request."),
    store: optional("boolean", { description: "Whether the provider stores the response." }),
    continuationToken: optional("string", { description: "Position from which to continue a paused response." }),
  }),
};

export const GenerateContentRequest: TSchema = Type.Object(requestMembers, { additionalProperties: true });

/** Either the contents alone, or the whole request that would be sent. Which of them is there is checked in parsing. */
export const CountTokensRequest: TSchema = Type.Object(
  {
    contents: optional("array", { items: object(contentMembers), description: "Contents whose tokens are counted." }),
    ...spelled({
      systemInstruction: instruction,
      tools: optional("array", { items: tool }),
      toolConfig,
      generateContentRequest: optional("object", {
        required: ["contents"],
        properties: requestMembers,
        description: "The complete request whose tokens are counted.",
      }),
    }),
  },
  { additionalProperties: true },
);
