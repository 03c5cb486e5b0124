// Every field of chat on every format: what its table says is what is sent, refused or warned of.
import { afterAll } from "bun:test";
import type { ChatRequest } from "../../src/canonical/chat.ts";
import type { RequestField } from "../../src/canonical/request-field.ts";
import {
  anthropicMessages,
  bedrockConverse,
  gemini,
  openaiChat,
  openaiCompletions,
  openaiResponses,
} from "../../src/dialects/index.ts";
import { type FieldClient, type FieldUpstream, provesFields, type SampleField } from "../support/field-conformance.ts";
import { says as reply } from "../support/fixtures.ts";
import { gateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";

const up = await upstream();
const running = await gateway({
  yaml: `providers:
  chat: { kind: compatible, base_url: "${up.url}/v1", credential: secret-word, models: [m] }
  responses: { kind: openai, base_url: "${up.url}/v1", credential: secret-word, models: [gpt-5.1-codex] }
  messages: { kind: anthropic, base_url: "${up.url}", credential: secret-word, models: [claude-x] }
  google: { kind: gemini, base_url: "${up.url}", credential: secret-word, models: [gemini-x] }
  aws: { kind: bedrock, base_url: "${up.url}", region: us-east-1, access_key_id: AKIDEXAMPLE, secret_access_key: secret-word, models: [anthropic.claude-sonnet-4-5] }
`,
});
afterAll(async () => {
  await running.stop();
  await up.stop();
});

type Says = { readonly [field in RequestField<ChatRequest>]?: SampleField };

const schema = { type: "object", properties: { hour: { type: "string" } }, required: ["hour"] };
const chatTools = [{ type: "function", function: { name: "f", parameters: schema } }];
const turn = { role: "user", content: "hi" };

const chatSays: Says = {
  messages: { param: "messages", body: {} },
  system: { param: "messages", body: { messages: [{ role: "system", content: "Be kind." }, turn] } },
  tools: { param: "tools", body: { tools: chatTools } },
  toolChoice: { param: "tool_choice", body: { tools: chatTools, tool_choice: "required" } },
  parallelToolCalls: {
    param: "parallel_tool_calls",
    body: { tools: chatTools, tool_choice: "auto", parallel_tool_calls: false },
  },
  maxOutputTokens: { param: "max_completion_tokens", body: { max_completion_tokens: 500 } },
  temperature: { param: "temperature", body: { temperature: 0.5 } },
  topP: { param: "top_p", body: { top_p: 0.5 } },
  presencePenalty: { param: "presence_penalty", body: { presence_penalty: 0.5 } },
  frequencyPenalty: { param: "frequency_penalty", body: { frequency_penalty: 0.5 } },
  seed: { param: "seed", body: { seed: 7 } },
  logitBias: { param: "logit_bias", body: { logit_bias: { "5": 1 } } },
  logprobs: { param: "logprobs", body: { logprobs: true, top_logprobs: 2 } },
  stopSequences: { param: "stop", body: { stop: ["END"] } },
  choices: { param: "n", body: { n: 2 } },
  format: {
    param: "response_format",
    body: { response_format: { type: "json_schema", json_schema: { name: "at", schema } } },
  },
  reasoning: { param: "reasoning_effort", body: { reasoning_effort: "high" } },
  verbosity: { param: "verbosity", body: { verbosity: "low" } },
  tier: { param: "service_tier", body: { service_tier: "default" } },
  endUser: { param: "user", body: { user: "u" } },
};

const responsesSays: Says = {
  messages: { param: "input", body: {} },
  system: { param: "instructions", body: { instructions: "Be kind." } },
  tools: { param: "tools", body: { tools: [{ type: "function", name: "f", parameters: schema }] } },
  toolChoice: {
    param: "tool_choice",
    body: { tools: [{ type: "function", name: "f", parameters: schema }], tool_choice: "required" },
  },
  parallelToolCalls: {
    param: "parallel_tool_calls",
    body: { tools: [{ type: "function", name: "f", parameters: schema }], parallel_tool_calls: false },
  },
  maxOutputTokens: { param: "max_output_tokens", body: { max_output_tokens: 500 } },
  temperature: { param: "temperature", body: { temperature: 0.5 } },
  topP: { param: "top_p", body: { top_p: 0.5 } },
  format: { param: "text.format", body: { text: { format: { type: "json_schema", name: "at", schema } } } },
  reasoning: { param: "reasoning.effort", body: { reasoning: { effort: "high" } } },
  verbosity: { param: "text.verbosity", body: { text: { verbosity: "low" } } },
  tier: { param: "service_tier", body: { service_tier: "default" } },
  endUser: { param: "safety_identifier", body: { safety_identifier: "u" } },
};

const messagesSays: Says = { topK: { param: "top_k", body: { top_k: 3 } } };

const config = (path: string, members: object): SampleField => ({
  param: `generationConfig.${path}`,
  body: { generationConfig: members },
});

const geminiSays: Says = {
  topK: config("topK", { topK: 3 }),
  presencePenalty: config("presencePenalty", { presencePenalty: 0.5 }),
  frequencyPenalty: config("frequencyPenalty", { frequencyPenalty: 0.5 }),
  seed: config("seed", { seed: 7 }),
  logprobs: config("responseLogprobs", { responseLogprobs: true, logprobs: 2 }),
  stopSequences: config("stopSequences", { stopSequences: ["END"] }),
  choices: config("candidateCount", { candidateCount: 2 }),
  media: config("responseModalities", { responseModalities: ["AUDIO"] }),
};

const client = (dialect: FieldClient["dialect"], path: FieldClient["path"], body: object, says: Says): FieldClient => ({
  ...{ dialect, path, says: says as FieldClient["says"] },
  body: (model) => ({ ...(path(model).includes(":") ? {} : { model }), ...body }),
});

const clients: FieldClient[] = [
  client(openaiChat, () => "/v1/chat/completions", { messages: [turn] }, chatSays),
  client(openaiResponses, () => "/v1/responses", { input: "hi" }, responsesSays),
  {
    ...client(anthropicMessages, () => "/v1/messages", { max_tokens: 500, messages: [turn] }, messagesSays),
    encode: (body) => ({
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    }),
  },
  client(
    gemini,
    (model) => `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    geminiSays,
  ),
];

const far = (dialect: FieldUpstream["dialect"], model: string): FieldUpstream => ({
  ...{ dialect, model },
  ready: () => up.on("*", reply(`${dialect.name}/text.json`)),
});

provesFields({
  ...{ title: "chat", up, gateway: running, clients },
  upstreams: [
    far(openaiChat, "chat/m"),
    {
      ...far(openaiResponses, "responses/gpt-5.1-codex"),
      route: "/v1/responses",
      ready() {
        up.on("POST /v1/responses", reply("openai-responses/text.json"));
        up.on("POST /v1/chat/completions", reply("openai-chat/text.json"));
      },
    },
    far(anthropicMessages, "messages/claude-x"),
    far(gemini, "google/gemini-x"),
    far(bedrockConverse, "aws/anthropic.claude-sonnet-4-5"),
  ],
});

const { temperature, topP, presencePenalty, frequencyPenalty, seed, logitBias, stopSequences, choices, endUser } =
  chatSays;

provesFields({
  ...{ title: "text completions", up, gateway: running },
  clients: [
    client(openaiCompletions, () => "/v1/completions", { prompt: "Once" }, {
      ...{ temperature, topP, presencePenalty, frequencyPenalty, seed, logitBias, stopSequences, choices, endUser },
      messages: { param: "prompt", body: {} },
      maxOutputTokens: { param: "max_tokens", body: { max_tokens: 500 } },
      logprobs: { param: "logprobs", body: { logprobs: 2 } },
      completion: { param: "echo", body: { echo: true } },
    } as Says),
  ],
  upstreams: [far(openaiCompletions, "chat/m")],
});
