// The sandbox behind a gateway of its own, asked over the wire.
import { afterAll } from "bun:test";
import type { World } from "../support/fixture-gateway.ts";
import { gateway } from "../support/gateway.ts";
import { type Call, make } from "../support/http-client.ts";
import type { Received } from "../support/response-oracle.ts";

type Say = (content: string, more?: Record<string, unknown>) => Promise<Received>;

export interface Sandbox {
  world: World;
  say(call: Call): Promise<Received>;
  /** A chat completion of `sandbox/chat` with one user message; `more` is laid over the body. */
  chat: Say;
  /** The same as a message. */
  messages: Say;
}

/** Starts it for a test file and stops it behind the last test. */
export async function sandbox(): Promise<Sandbox> {
  const world: World = { gateway: await gateway(), upstreams: {} as World["upstreams"] };
  afterAll(() => world.gateway.stop());
  const say = async (call: Call): Promise<Received> => {
    const { received } = await make(call, world);
    if (!received) throw new Error("there was no answer");
    return received;
  };
  const saying =
    (to: "chat" | "messages"): Say =>
    (content, more) =>
      say({ to, body: { model: "sandbox/chat", messages: prompt(content), ...more } });
  return { world, say, chat: saying("chat"), messages: saying("messages") };
}

export const prompt = (content: string) => [{ role: "user", content }];
