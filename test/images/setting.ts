// A gateway in front of one scripted upstream of every kind that makes images, and the ways to ask it.
import { afterAll, beforeEach } from "bun:test";
import type { GoogleGenAI } from "@google/genai";
import type OpenAI from "openai";
import { geminiClient, openaiClient } from "../support/clients.ts";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { type LedgerRow, ledgerRows } from "../support/ledger.ts";
import { type Upstream, upstream } from "../support/upstream.ts";
import { dot, type Far, fars, nameOf } from "./upstream-dialects.ts";

export interface Result {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export interface ImageSetting {
  gateway: RunningGateway;
  up: Upstream;
  openai: OpenAI;
  google: GoogleGenAI;
  /** An address at the upstream that the gateway may fetch, and that holds the dot. */
  url: string;
  ask(path: string, body: unknown, headers?: Record<string, string>): Promise<Result>;
  /** The newest rows of the ledger. */
  rows(count: number): LedgerRow[];
}

const models: readonly (readonly [route: string, kind: string, model: string])[] = [
  ["gpt-image-1", "openai", "gpt-image-1"],
  ["gpt-image-2", "openai", "gpt-image-2"],
  ["gpt-image-alias", "dashscope", "qwen-image-2.0"],
  ["dall-e-3", "openai", "dall-e-3"],
  ["qwen-image-plus", "dashscope", "qwen-image-plus"],
  ["qwen-image-edit", "dashscope", "qwen-image-edit"],
  ["wan2.6-image", "dashscope", "wan2.6-image"],
  ["wan2.2-t2i-flash", "dashscope", "wan2.2-t2i-flash"],
  ["gemini-2.5-flash-image", "gemini", "gemini-2.5-flash-image"],
];

function yamlOf(up: Upstream): string {
  const entry = ({ kind, base, more = "" }: Far): string =>
    `  ${kind}: { kind: ${kind}, base_url: "${up.url}${base}", credential: "canary-${kind}", models: []${more} }`;
  const kinds = fars.filter((far, index) => fars.findIndex(({ kind }) => kind === far.kind) === index);
  const routes = [...fars.map((far) => [nameOf(far), far.kind, far.model] as const), ...models];
  const route = ([name, kind, model]: readonly [string, string, string]): string =>
    `  ${name}: { candidates: [{ provider: ${kind}, model: "${model}" }] }`;
  return [
    "providers:",
    ...kinds.map(entry),
    "models:",
    ...routes.map(route),
    "  both: { candidates: [{ provider: gemini, model: gemini-3-pro-image }, { provider: dashscope, model: qwen-image-2.0 }] }",
    "  brought: { candidates: [{ provider: gemini, model: gemini-3-pro-image }, { provider: openai, model: gpt-image-1 }] }",
    "",
  ].join("\n");
}

export const dotBytes = Buffer.from(dot, "base64");

export async function imageSetting(allows = true): Promise<ImageSetting> {
  const up = await upstream();
  const allowed = { TURNPIKE_FETCH_ALLOW: new URL(up.url).host };
  const running = await gateway({ yaml: yamlOf(up), environment: allows ? allowed : {} });
  beforeEach(() => {
    up.clear();
    up.on("GET /dot.png", { bytes: [dotBytes], headers: { "content-type": "image/png" }, framing: "length" });
  });
  afterAll(async () => {
    await running.stop();
    await up.stop();
  });
  const ask: ImageSetting["ask"] = async (path, body, headers = {}) => {
    const answer = await fetch(running.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as Record<string, unknown>,
    };
  };
  return {
    gateway: running,
    up,
    openai: openaiClient(running.url, running.key),
    google: geminiClient(running.url, running.key),
    url: `${up.url}/dot.png`,
    ask,
    rows: (count) => ledgerRows(running.dataFolder).slice(-count),
  };
}

/** A body in the shape of the specification. */
export function message(model: string, parts: readonly object[], parameters?: object): object {
  const input = { messages: [{ role: "user", content: parts }] };
  return parameters === undefined ? { model, input } : { model, input, parameters };
}
