// The setting of these suites: one gateway, two owners, their official SDK clients, and upstreams of several dialects.
import { afterAll, beforeEach } from "bun:test";
import type OpenAI from "openai";
import type { Response as ModelResponse } from "openai/resources/responses/responses";
import { thrownBy } from "../sdk/setting.ts";
import { openaiClient } from "../support/clients.ts";
import { clearUpstreams, configuration, startUpstreams, type World } from "../support/fixture-gateway.ts";
import { says } from "../support/fixtures.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import { gateway } from "../support/gateway.ts";

const otherKey = "tp-other-owner-key";

/** Whoever may answer: the model's name, where it is, and how a reply of "Hello there…" reads there. */
export interface Far {
  readonly model: string;
  readonly at: "alpha" | "claude" | "responder";
  readonly folder: string;
}

export const fars: readonly Far[] = [
  { model: "gpt-x", at: "alpha", folder: "openai-chat" },
  { model: "claude-x", at: "claude", folder: "anthropic-messages" },
  { model: "gpt-r", at: "responder", folder: "openai-responses" },
];

export interface Setting {
  world: World;
  /** The first owner. */
  mine: OpenAI;
  /** Another one. */
  theirs: OpenAI;
  /** Asks a path of the gateway as the first owner. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Lets all upstreams answer with a fixture of their own folder. */
  allSay(whole: string, streamed?: string): void;
  /** The body that an upstream was asked with. */
  upstreamRequest(far: Far, index?: number): Record<string, unknown>;
  /** The texts of that body, in order. */
  receivedBy(far: Far, index: number): string[];
  /** A response to a text, continuing another where one is named. */
  make(far: Far, input: string, previous?: string, stream?: boolean): Promise<ModelResponse>;
}

/** The texts that an upstream was told, in order, whatever its dialect. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  const { text, content } = value as Record<string, unknown>;
  return [...textsIn(text ?? []), ...textsIn(content ?? [])];
}

/** Starts it for a test file, clears the upstreams before each test, and stops all behind the last one. */
export async function setting(options: GatewayOptions & { more?: string } = {}): Promise<Setting> {
  const upstreams = await startUpstreams();
  const keys = `keys:\n  other: { secret: "${otherKey}" }\n${options.more ?? ""}`;
  const world: World = { upstreams, gateway: await gateway({ yaml: configuration(upstreams) + keys, ...options }) };
  beforeEach(() => clearUpstreams(upstreams));
  afterAll(async () => {
    await world.gateway.stop();
    await Promise.all(Object.values(upstreams).map((each) => each.stop()));
  });
  const { url, key } = world.gateway;
  const mine = openaiClient(url, key);
  const upstreamRequest = (far: Far, index = 0) => upstreams[far.at].requests[index]?.json as Record<string, unknown>;
  return {
    world,
    mine,
    theirs: openaiClient(url, otherKey),
    send: (path, init) =>
      fetch(url + path, {
        ...init,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...init?.headers },
      }),
    allSay(whole, streamed = whole) {
      for (const { at, folder } of fars) {
        upstreams[at].on("*", (line) => {
          const isStream = (line.request.json as { stream?: boolean }).stream === true;
          return line.play(says(`${folder}/${isStream ? streamed.replace(".json", ".sse") : whole}`));
        });
      }
    },
    upstreamRequest,
    receivedBy(far, index) {
      const body = upstreamRequest(far, index);
      return textsIn(body["messages"] ?? body["input"]);
    },
    async make(far, input, previous, stream = false) {
      const ask = { model: far.model, input, ...(previous === undefined ? {} : { previous_response_id: previous }) };
      return stream ? await mine.responses.stream(ask).finalResponse() : await mine.responses.create(ask);
    },
  };
}

/** What an SDK call was refused with. */
export async function refusalOf(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const { status, code, param, type, message } = (await thrownBy(promise)) as Record<string, unknown>;
  return { status, code, param, type, message };
}
