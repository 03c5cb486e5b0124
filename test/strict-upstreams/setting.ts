// One gateway before all strict upstreams, and the walk of one client through the dialogue.
import { type GatewayOptions, gateway, type RunningGateway } from "../support/gateway.ts";
import { type Upstream, upstream } from "../support/upstream.ts";
import { chatClients } from "./clients/chat.ts";
import type { Client, Reply } from "./clients/client.ts";
import { geminiClients } from "./clients/gemini.ts";
import { messagesClients } from "./clients/messages.ts";
import { responsesClients } from "./clients/responses.ts";
import { type Conversation, newConversation } from "./conversation.ts";
import { followUp, question, turns } from "./dialogue.ts";
import { speaksFor, type Vendor } from "./vendor.ts";
import { anthropicMessages } from "./vendors/anthropic-messages.ts";
import { bedrockConverse } from "./vendors/bedrock-converse.ts";
import { deepseek } from "./vendors/deepseek.ts";
import { gemini3, gemini25 } from "./vendors/gemini.ts";
import { mistral } from "./vendors/mistral.ts";
import { openaiChat } from "./vendors/openai-chat.ts";
import { openaiResponses } from "./vendors/openai-responses.ts";

/** A model behind a strict upstream, as the gateway's configuration names it. */
export interface Target {
  readonly name: string;
  /** All that its server speaks; the first is what the column is about. */
  readonly vendors: readonly [Vendor, ...Vendor[]];
  readonly model: string;
  /** A model that refuses to be asked for thinking. */
  readonly thinksNever?: boolean;
  /** A model that decides by itself how much it thinks. */
  readonly isAdaptive?: boolean;
  /** A model that thinks where nobody asks it to, and shows it. */
  readonly showsUnasked?: boolean;
  /** The provider's entry in turnpike.yaml. */
  readonly provider: (url: string) => string;
}

const keyed = (kind: string, path: string) => (url: string) =>
  `kind: ${kind}, base_url: "${url}${path}", credential: "strict"`;

export const targets: readonly Target[] = [
  { name: "openai-chat", vendors: [openaiChat], model: "gpt-4.1", thinksNever: true, provider: keyed("openai", "/v1") },
  {
    name: "openai-responses",
    vendors: [openaiResponses, openaiChat],
    model: "gpt-5.6-terra",
    provider: keyed("openai", "/v1"),
  },
  {
    name: "anthropic-messages",
    vendors: [anthropicMessages],
    model: "claude-sonnet-4-5",
    provider: keyed("anthropic", ""),
  },
  {
    name: "anthropic-messages, thinking between calls",
    vendors: [anthropicMessages],
    model: "claude-opus-4-8",
    isAdaptive: true,
    provider: keyed("anthropic", ""),
  },
  { name: "gemini-3", vendors: [gemini3], model: gemini3.name, provider: keyed("gemini", "") },
  { name: "gemini-2.5", vendors: [gemini25], model: gemini25.name, provider: keyed("gemini", "") },
  {
    name: "bedrock-converse",
    vendors: [bedrockConverse],
    model: "anthropic.claude-sonnet-4-5",
    provider: (url) =>
      `kind: bedrock, base_url: "${url}", region: us-east-1, access_key_id: AKIDEXAMPLE, secret_access_key: strict`,
  },
  { name: "mistral", vendors: [mistral], model: "mistral-medium-3-5", provider: keyed("mistral", "/v1") },
  {
    name: "deepseek",
    vendors: [deepseek],
    model: "deepseek-v4-pro",
    showsUnasked: true,
    provider: keyed("deepseek", ""),
  },
];

export const clients: readonly Client[] = [...chatClients, ...responsesClients, ...messagesClients, ...geminiClients];

export interface Setting {
  readonly gateway: RunningGateway;
  /** Begins a new conversation, in which all upstreams take part. */
  begin(tag: string, client: Client): Conversation;
  stop(): Promise<void>;
}

const providerOf = (index: number): string => `p${index}`;

/** The name of a route that goes to the second target when the first one is down. */
export const routeOf = (first: Target, second: Target): string =>
  `${providerOf(targets.indexOf(first))}-or-${providerOf(targets.indexOf(second))}`;

const candidateOf = (target: Target): string =>
  `{ provider: ${providerOf(targets.indexOf(target))}, model: "${target.model}" }`;

const routes = targets.flatMap((first) =>
  targets.map(
    (second) => `  ${routeOf(first, second)}: { candidates: [${candidateOf(first)}, ${candidateOf(second)}] }`,
  ),
);

/** The name of a target's model at the gateway. */
export const modelOf = (target: Target): string => `${providerOf(targets.indexOf(target))}/${target.model}`;

export async function strictSetting(options: GatewayOptions = {}): Promise<Setting> {
  let conversation = newConversation("none");
  const upstreams: Upstream[] = [];
  const entries: string[] = [];
  for (const [index, { name, vendors, model, provider }] of targets.entries()) {
    const up = await upstream();
    up.on(
      "*",
      speaksFor(vendors, () => conversation, name),
    );
    upstreams.push(up);
    entries.push(`  ${providerOf(index)}: { ${provider(up.url)}, models: ["${model}"] }`);
  }
  const running = await gateway({
    // Every conversation takes a provider down, and the next one expects it back at once: no breaker may remember it.
    yaml: `limits: { breaker_failures: 1000000, breaker_min_requests: 1000000 }\nproviders:\n${entries.join("\n")}\nmodels:\n${routes.join("\n")}\n`,
    ...options,
  });
  return {
    gateway: running,
    begin(tag, { keepsIds, readsThinking, remark }) {
      conversation = newConversation(tag, { keepsIds, keepsThoughts: readsThinking, remark });
      return conversation;
    },
    async stop() {
      await running.stop();
      await Promise.all(upstreams.map((each) => each.stop()));
    },
  };
}

/** Walks a client through the whole dialogue; gives what it received at every turn. `between`: behind the first one. */
export async function walk(
  client: Client,
  opening: Parameters<Client["open"]>[0],
  between: () => void = () => undefined,
): Promise<Reply[]> {
  const dialogue = client.open(opening);
  const results = turns.map(({ calls }) => calls.map(({ result }) => result));
  const received = [await dialogue.say(question)];
  between();
  received.push(await dialogue.answer(results[0] ?? []));
  received.push(await dialogue.answer(results[1] ?? []));
  received.push(await dialogue.say(followUp));
  return received;
}
