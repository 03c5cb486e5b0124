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
    parameters: optional("object", { description: "Schema of the input, in a subset of OpenAPI's." }),
    parametersJsonSchema: optional("object", { description: "JSON Schema of the input." }),
  }),
);

const tool = object(spelled({ functionDeclarations: optional("array", { items: declaration }) }));

const toolConfig = message(
  {
    functionCallingConfig: message({
      mode: words(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"], "Whether functions may or must be called."),
      allowedFunctionNames: optional("array", { items: { type: "string" } }),
    }),
    retrievalConfig: optional("object"),
    includeServerSideToolInvocations: optional("boolean"),
  },
  { description: "How tools are used." },
);

const thinking: TProperties = {
  includeThoughts: optional("boolean", { description: "Show summaries of thoughts." }),
  thinkingBudget: optional("integer", { minimum: -1, description: "Tokens for thinking: 0 for none, -1 for any." }),
  thinkingLevel: words(["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"], "How much to think."),
};

const generationConfig = message(
  {
    temperature: number(0, 2, "Randomness."),
    topP: number(0, 1, "Nucleus sampling."),
    topK: optional("integer", { minimum: 1, description: "Number of tokens to sample from." }),
    seed: optional("integer", { format: "int64", description: "Best effort at the same answer again." }),
    candidateCount: optional("integer", { minimum: 1, maximum: 8, default: 1, description: "How many answers." }),
    maxOutputTokens: optional("integer", { minimum: 1, description: "Bound on output, thinking included." }),
    stopSequences: optional("array", { maxItems: 5, items: { type: "string" }, description: "Texts that end it." }),
    presencePenalty: number(-2, 2, "Against topics said before."),
    frequencyPenalty: number(-2, 2, "Against words said often."),
    responseLogprobs: optional("boolean", { description: "Log probabilities of the output." }),
    logprobs: optional("integer", { minimum: 0, maximum: 20, description: "Alternatives for each token." }),
    responseMimeType: optional("string", { description: "`text/plain`, `application/json` or `text/x.enum`." }),
    responseSchema: optional("object", { description: "Schema of the output, in a subset of OpenAPI's." }),
    responseJsonSchema: optional("object", { description: "JSON Schema of the output." }),
    responseModalities: optional("array", { items: { type: "string" }, description: "`TEXT`, `IMAGE`, `AUDIO`." }),
    imageConfig: message(
      { aspectRatio: optional("string"), imageSize: optional("string") },
      { description: "Form of images in the output." },
    ),
    thinkingConfig: message(thinking, { description: "Thinking before the answer." }),
    speechConfig: optional("object", { description: "Voice of spoken output." }),
    mediaResolution: optional("string", { description: "How closely media are looked at." }),
    audioTimestamp: optional("boolean"),
  },
  { description: "How the answer is made." },
);

const requestMembers: TProperties = {
  contents: Type.Array(object(contentMembers), { minItems: 1, description: "The conversation so far." }),
  ...spelled({
    systemInstruction: instruction,
    tools: optional("array", { items: tool, description: "What the model may call." }),
    toolConfig,
    generationConfig,
    safetySettings: optional("array", { items: { type: "object" }, description: "Thresholds for blocking." }),
    cachedContent: optional("string", { description: "Name of stored content that comes before." }),
    labels: optional("object", { description: "Labels of the request." }),
    serviceTier: words(["UNSPECIFIED", "STANDARD", "FLEX", "PRIORITY"], "Class of service."),
    store: optional("boolean", { description: "Keep the answer at the provider." }),
    continuationToken: optional("string", { description: "Where a paused answer goes on." }),
  }),
};

export const GenerateContentRequest: TSchema = Type.Object(requestMembers, { additionalProperties: true });

/** Either the contents alone, or the whole request that would be sent. Which of them is there is checked in parsing. */
export const CountTokensRequest: TSchema = Type.Object(
  {
    contents: optional("array", { items: object(contentMembers), description: "What to count." }),
    ...spelled({
      systemInstruction: instruction,
      tools: optional("array", { items: tool }),
      toolConfig,
      generateContentRequest: optional("object", {
        required: ["contents"],
        properties: requestMembers,
        description: "The whole request to count.",
      }),
    }),
  },
  { additionalProperties: true },
);
