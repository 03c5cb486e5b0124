// A request as curl and as code of the SDKs whose paths it serves.
import { bodyExample, exampleValues, type Row, targetOf } from "./spec.ts";

export interface Snippet {
  readonly title: string;
  readonly text: string;
}

type Body = Readonly<Record<string, unknown>>;

const quoted = (text: string): string => JSON.stringify(text);
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `@name` stands for a file, as curl writes it. */
const fileName = (value: unknown): string | null =>
  typeof value === "string" && value.startsWith("@") ? value.slice(1) : null;

function bodyFlags({ type, body }: { readonly type: string; readonly body: Body }): readonly string[] {
  if (type === "multipart/form-data")
    return Object.entries(body).map(([name, value]) => `-F ${shellQuoted(`${name}=${value}`)}`);
  return ["-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body))}`];
}

export function curlOf(row: Row, base: string): string {
  const { operation, method } = row;
  const example = bodyExample(operation);
  const values = exampleValues(operation);
  const named = operation.parameters.filter((each) => each.in === "header").map(({ name }) => [name, values[name]]);
  const key = operation.security.length === 0 ? [] : [["Authorization", "Bearer $TURNPIKE_KEY"]];
  return [
    `curl ${quoted(base + targetOf(row, values))}`,
    ...(method === "GET" || example !== null ? [] : [`-X ${method}`]),
    ...[...key, ...named].map(([name, value]) => `-H "${name}: ${value}"`),
    ...(example === null ? [] : bodyFlags(example)),
  ].join(" \\\n  ");
}

interface Language {
  readonly title: string;
  literal(value: unknown): string;
  file(name: string): string;
}

const javascript: Language = {
  title: "JavaScript",
  literal: (value) => JSON.stringify(value),
  file: (name) => `createReadStream(${quoted(name)})`,
};

function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${quoted(name)}: ${pythonLiteral(each)}`)
    .join(", ")}}`;
}

const python: Language = {
  title: "Python",
  literal: pythonLiteral,
  file: (name) => `open(${quoted(name)}, "rb")`,
};

interface Sdk {
  readonly title: string;
  readonly javascript: (base: string) => string;
  readonly python: (base: string) => string;
}

const nodeKey = "process.env.TURNPIKE_KEY";
const pythonKey = 'os.environ["TURNPIKE_KEY"]';

const openai: Sdk = {
  title: "OpenAI",
  javascript: (base) =>
    `import OpenAI from "openai";\n\nconst client = new OpenAI({ baseURL: ${quoted(`${base}/v1`)}, apiKey: ${nodeKey} });`,
  python: (base) =>
    `from openai import OpenAI\n\nclient = OpenAI(base_url=${quoted(`${base}/v1`)}, api_key=${pythonKey})`,
};
const anthropic: Sdk = {
  title: "Anthropic",
  javascript: (base) =>
    `import Anthropic from "@anthropic-ai/sdk";\n\nconst client = new Anthropic({ baseURL: ${quoted(base)}, apiKey: ${nodeKey} });`,
  python: (base) =>
    `from anthropic import Anthropic\n\nclient = Anthropic(base_url=${quoted(base)}, api_key=${pythonKey})`,
};
const google: Sdk = {
  title: "Google Gen AI",
  javascript: (base) =>
    `import { GoogleGenAI } from "@google/genai";\n\nconst client = new GoogleGenAI({\n  apiKey: ${nodeKey},\n  httpOptions: { baseUrl: ${quoted(base)} },\n});`,
  python: (base) =>
    `from google import genai\n\nclient = genai.Client(api_key=${pythonKey}, http_options={"base_url": ${quoted(base)}})`,
};
const cohere = (version: "" | "V2"): Sdk => ({
  title: "Cohere",
  javascript: (base) =>
    `import { CohereClient${version} } from "cohere-ai";\n\nconst client = new CohereClient${version}({ environment: ${quoted(base)}, token: ${nodeKey} });`,
  python: (base) => `import cohere\n\nclient = cohere.Client${version}(base_url=${quoted(base)}, api_key=${pythonKey})`,
});

/** How a call is made: the method, its path parameters, and the members of its body. */
interface Call {
  readonly sdk: Sdk;
  /** `python` if its name is another one than in snake case. */
  readonly method: string;
  /** Names of path parameters that come first. */
  readonly leading?: readonly string[];
  readonly body?: (body: Body, model: string) => Body;
}

const contents = ({ content }: Body, model: string): Body => ({ model, contents: content });
const same = (body: Body): Body => body;
const withModel = (body: Body, model: string): Body => ({ model, ...body });

const openaiCalls: Readonly<Record<string, string>> = {
  createChatCompletion: "chat.completions.create",
  createCompletion: "completions.create",
  createResponse: "responses.create",
  compactResponse: "responses.compact",
  countResponseInputTokens: "responses.inputTokens.count",
  createEmbedding: "embeddings.create",
  createModeration: "moderations.create",
  createImage: "images.generate",
  createImageVariation: "images.createVariation",
  createSpeech: "audio.speech.create",
  createTranscription: "audio.transcriptions.create",
  createTranslation: "audio.translations.create",
  createVideo: "videos.create",
};
const openaiById: Readonly<Record<string, readonly [method: string, parameter: string]>> = {
  getResponse: ["responses.retrieve", "response_id"],
  deleteResponse: ["responses.delete", "response_id"],
  cancelResponse: ["responses.cancel", "response_id"],
  listResponseInput: ["responses.inputItems.list", "response_id"],
  getVideo: ["videos.retrieve", "video_id"],
  deleteVideo: ["videos.delete", "video_id"],
  downloadVideo: ["videos.downloadContent", "video_id"],
  remixVideo: ["videos.remix", "video_id"],
  getModel: ["models.retrieve", "id"],
};

const calls: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(Object.entries(openaiCalls).map(([id, method]) => [id, { sdk: openai, method, body: same }])),
  ...Object.fromEntries(
    Object.entries(openaiById).map(([id, [method, parameter]]) => [
      id,
      { sdk: openai, method, leading: [parameter], ...(id === "remixVideo" ? { body: same } : {}) },
    ]),
  ),
  listModels: { sdk: openai, method: "models.list" },
  listVideos: { sdk: openai, method: "videos.list" },
  createMessage: { sdk: anthropic, method: "messages.create", body: same },
  countMessageTokens: { sdk: anthropic, method: "messages.countTokens", body: same },
  relayV1Beta: { sdk: google, method: "models.generateContent", body: withModel },
  relayV1BetaStream: { sdk: google, method: "models.generateContentStream", body: withModel },
  relayV1BetaCount: { sdk: google, method: "models.countTokens", body: withModel },
  relayV1BetaEmbed: { sdk: google, method: "models.embedContent", body: contents },
  createRerank: { sdk: cohere(""), method: "rerank", body: same },
  createRerankV2: { sdk: cohere("V2"), method: "rerank", body: same },
};

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function members(body: Body, { literal, file }: Language, separator: string): readonly string[] {
  return Object.entries(body).map(([name, value]) => {
    const path = fileName(value);
    return `  ${name}${separator}${path === null ? literal(value) : file(path)},`;
  });
}

function sdkCode(row: Row, base: string, call: Call, language: Language): string {
  const isPython = language === python;
  const values = exampleValues(row.operation);
  const body = call.body?.(bodyExample(row.operation)?.body ?? {}, values["model"] ?? "");
  const leading = (call.leading ?? []).map((name) => quoted(values[name] || name));
  const lines = body === undefined ? [] : members(body, language, isPython ? "=" : ": ");
  const opened = isPython ? "\n" : "{\n";
  const last = lines.length === 0 ? [] : [`${opened}${lines.join("\n")}\n${isPython ? "" : "}"}`];
  const method = isPython ? snakeCase(call.method) : call.method;
  const sent = `client.${method}(${[...leading, ...last].join(", ").replace(/, \n/, ",\n")})`;
  if (isPython) return `import os\n${call.sdk.python(base)}\nresponse = ${sent}`;
  const files = Object.values(body ?? {}).some((value) => fileName(value) !== null);
  const imports = files ? 'import { createReadStream } from "node:fs";\n' : "";
  return `${imports}${call.sdk.javascript(base)}\nconst response = await ${sent};`;
}

/** curl first, then the SDKs that have a method for this path. */
export function snippetsOf(row: Row, base: string): readonly Snippet[] {
  const call = calls[row.operation.operationId];
  const sdks =
    call === undefined
      ? []
      : [javascript, python].map((language) => ({
          title: `${call.sdk.title}, ${language.title}`,
          text: sdkCode(row, base, call, language),
        }));
  return [{ title: "curl", text: curlOf(row, base) }, ...sdks];
}
