// The setting of the SDK suites: the official clients in front of one gateway, with the upstreams of the scenarios behind it.
import { afterAll, beforeEach } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";
import type { GoogleGenAI } from "@google/genai";
import type OpenAI from "openai";
import { anthropicClient, geminiClient, openaiClient } from "../support/clients.ts";
import { clearUpstreams, startUpstreams, startWorld, stopWorld, type World } from "../support/fixture-gateway.ts";
import type { GatewayOptions } from "../support/gateway.ts";
import type { Upstream } from "../support/upstream.ts";

/** One of the two upstream dialects: who speaks it, under which model name, and where its fixtures lie. */
export interface Far {
  speaks: "openai-chat" | "anthropic-messages";
  model: string;
  at: "alpha" | "claude";
}

export const fars: Far[] = [
  { speaks: "openai-chat", model: "gpt-x", at: "alpha" },
  { speaks: "anthropic-messages", model: "claude-x", at: "claude" },
];

export interface Setting {
  world: World;
  openai: OpenAI;
  anthropic: Anthropic;
  google: GoogleGenAI;
  /** The upstream of a far side. */
  upstreamOf(far: Far): Upstream;
}

/** Starts it for a test file, clears the upstreams before each test, and stops it all behind the last one. */
export async function setting(options: GatewayOptions = {}): Promise<Setting> {
  const upstreams = await startUpstreams();
  const world = await startWorld(upstreams, options);
  beforeEach(() => {
    clearUpstreams(upstreams);
  });
  afterAll(() => stopWorld(world));
  const { url, key } = world.gateway;
  return {
    world,
    openai: openaiClient(url, key),
    anthropic: anthropicClient(url, key),
    google: geminiClient(url, key),
    upstreamOf: (far) => upstreams[far.at],
  };
}

/** What a promise was rejected with; fails when it was not. */
export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (thrown: unknown) => ({ thrown }),
  );
  if ("thrown" in outcome) return outcome.thrown;
  throw new Error(`nothing was thrown; it ended with ${JSON.stringify(outcome.value)}`);
}
