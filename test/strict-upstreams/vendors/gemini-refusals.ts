// What Google's Gemini API refuses, in its own words.
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { madeState } from "../conversation.ts";
import { any, bracketed, list as listOf, object, plain, protoMap, type Shape } from "../shape.ts";
import type { Body, Refusal } from "../vendor.ts";

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const proto = (members: Readonly<Record<string, Shape>>): Shape => object(members, camel);

/** `@google/genai` 3.1.0, `Schema`. */
const schema: Shape = proto({
  ...plain("type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "required"),
  ...plain("minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "propertyOrdering"),
  ...plain("default", "minimum", "maximum"),
  items: (value) => schema(value),
  anyOf: (value) => listOf(schema)(value),
  properties: (value) => protoMap(schema)(value),
});

const part = proto({
  ...plain("text", "thought", "thoughtSignature", "fileData", "videoMetadata", "mediaResolution", "partMetadata"),
  ...plain("executableCode", "codeExecutionResult"),
  inlineData: proto(plain("mimeType", "data", "displayName")),
  functionCall: proto(plain("id", "name", "args", "partialArgs", "willContinue")),
  functionResponse: proto(plain("id", "name", "response", "parts", "willContinue", "scheduling")),
});
const content = proto({ role: any, parts: listOf(part) });
const declaration = proto({
  ...plain("name", "description", "behavior", "parametersJsonSchema", "responseJsonSchema"),
  parameters: schema,
  response: schema,
});

/** `@google/genai` 3.1.0, `GenerateContentParameters` as its converters write them. */
const request = proto({
  ...plain("model", "cachedContent", "safetySettings", "labels", "serviceTier", "store"),
  contents: listOf(content),
  systemInstruction: content,
  tools: listOf(
    proto({ ...plain("googleSearch", "codeExecution", "urlContext"), functionDeclarations: listOf(declaration) }),
  ),
  toolConfig: proto({
    ...plain("retrievalConfig", "includeServerSideToolInvocations"),
    functionCallingConfig: proto(plain("mode", "allowedFunctionNames", "streamFunctionCallArguments")),
  }),
  generationConfig: proto({
    ...plain("temperature", "topP", "topK", "seed", "maxOutputTokens", "candidateCount", "stopSequences"),
    ...plain("presencePenalty", "frequencyPenalty", "responseLogprobs", "logprobs", "responseMimeType"),
    ...plain("responseJsonSchema", "responseModalities", "speechConfig", "imageConfig", "mediaResolution"),
    responseSchema: schema,
    thinkingConfig: proto(plain("includeThoughts", "thinkingBudget", "thinkingLevel")),
  }),
});

/** A member under either of its spellings. */
export const member = (value: unknown, name: string): unknown => at(value, name) ?? at(value, snake(name));
export const contentsOf = (body: Body): unknown[] => list(body, "contents");
export const partsOf = (entry: unknown): unknown[] => list(entry, "parts");
const holding = (entry: unknown, name: string) => partsOf(entry).filter((one) => member(one, name) !== undefined);
export const signatureOf = (one: unknown): string => String(member(one, "thoughtSignature") ?? "");

/** The constants that stand in for a signature: https://ai.google.dev/gemini-api/docs/thought-signatures */
export const isStandIn = (state: string): boolean =>
  [state, Buffer.from(state, "base64").toString()].includes("skip_thought_signature_validator");

/** Where the current turn begins: behind the last content in which the user says something. */
function currentTurn(body: Body): number {
  return contentsOf(body).findLastIndex(
    (entry) => text(entry, "role") !== "model" && holding(entry, "functionResponse").length === 0,
  );
}

function unsigned(body: Body): { name: string; position: number } | undefined {
  for (const [index, entry] of contentsOf(body).entries()) {
    const [first] = holding(entry, "functionCall");
    if (first === undefined || index < currentTurn(body) || signatureOf(first) !== "") continue;
    return { name: text(member(first, "functionCall"), "name"), position: index + 1 };
  }
  return undefined;
}

const calls = (entry: unknown): number => holding(entry, "functionCall").length;
const responses = (entry: unknown): number => holding(entry, "functionResponse").length;
const secondStep = (body: Body) => ({ model: contentsOf(body)[1] as Body, user: contentsOf(body)[2] as Body });
const callOf = (body: Body) => holding(secondStep(body).model, "functionCall")[0] as Body;

/** `signs`: whether calls in the history need a signature. */
export const refusals = (signs: boolean): readonly Refusal[] => [
  {
    refuses: "a name that it does not have",
    source: "https://github.com/BerriAI/litellm/issues/14330, https://github.com/openswarm-ai/openswarm/issues/24",
    fault(body) {
      const [stray] = request(body);
      if (stray === undefined) return undefined;
      const where = bracketed(stray.slice(0, -1).map((step) => (typeof step === "string" ? snake(step) : step)));
      const place = where === "" ? "" : ` at '${where}'`;
      return { message: `Invalid JSON payload received. Unknown name "${stray.at(-1)}"${place}: Cannot find field.` };
    },
    spoil: (body) =>
      Object.assign(at(body, "tools", 0, "functionDeclarations", 0) as Body, {
        parameters: { type: "OBJECT", properties: { zone: { type: "STRING", additionalProperties: false } } },
      }),
  },
  {
    refuses: "several types in one schema",
    source: "https://github.com/zed-industries/zed/issues/53919",
    fault: (body) =>
      list(body, "tools", 0, "functionDeclarations").some((one) =>
        /"type":\[/.test(JSON.stringify(at(one, "parameters") ?? {})),
      )
        ? {
            message:
              "Invalid JSON payload received. Unknown name \"type\" at 'tools[0].function_declarations[0].parameters': Proto field is not repeating, cannot start list.",
          }
        : undefined,
    spoil: (body) =>
      Object.assign(at(body, "tools", 0, "functionDeclarations", 0) as Body, {
        parameters: { type: "OBJECT", properties: { zone: { type: ["STRING", "NULL"] } } },
      }),
  },
  {
    refuses: "calls that follow neither the user nor results",
    source: "https://github.com/google-gemini/gemini-cli/issues/26486",
    fault: (body) =>
      contentsOf(body).some(
        (entry, index) =>
          calls(entry) > 0 && text(contentsOf(body)[index - 1] ?? { role: "model" }, "role") === "model",
      )
        ? {
            message:
              "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
          }
        : undefined,
    spoil: (body) => void contentsOf(body).shift(),
  },
  {
    refuses: "results that follow no calls",
    source: "https://github.com/BerriAI/litellm/issues/26755",
    fault: (body) =>
      contentsOf(body).some((entry, index) => responses(entry) > 0 && calls(contentsOf(body)[index - 1]) === 0)
        ? { message: "Please ensure that function response turn comes immediately after a function call turn." }
        : undefined,
    spoil: (body) => void contentsOf(body).splice(2, 0, { role: "user", parts: [{ text: "Wait." }] }),
  },
  {
    refuses: "another number of results than of calls",
    source: "https://github.com/google-gemini/gemini-cli/issues/16415",
    fault: (body) =>
      contentsOf(body).some(
        (entry, index) => calls(entry) > 0 && responses(contentsOf(body)[index + 1]) !== calls(entry),
      )
        ? {
            message:
              "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
          }
        : undefined,
    spoil: (body) => void partsOf(secondStep(body).user).pop(),
  },
  {
    refuses: "a signature that it did not make",
    source: "https://github.com/google-gemini/gemini-cli/issues/13467",
    fault: (body, made) =>
      contentsOf(body)
        .flatMap(partsOf)
        .map(signatureOf)
        .some((state) => state !== "" && !isStandIn(state) && !madeState(made, state))
        ? { message: "Corrupted thought signature." }
        : undefined,
    spoil: (body) => Object.assign(callOf(body), { thoughtSignature: "AAAA" }),
  },
  ...(signs ? [missingSignature] : []),
];

const missingSignature: Refusal = {
  refuses: "a call of the current turn without its signature",
  source: "https://github.com/manthanabc/paws/issues/103",
  fault(body) {
    const found = unsigned(body);
    return (
      found && {
        message: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${found.name}\` , position ${found.position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      }
    );
  },
  spoil: (body) => void delete callOf(body)["thoughtSignature"],
};
