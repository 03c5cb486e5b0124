// Short hands for turns and blocks, and for what a call refuses.
import type { Block, Message } from "../../src/canonical/chat.ts";

export const messageOf = (role: Message["role"], ...blocks: (Block | string)[]): Message => ({
  role,
  blocks: blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block)),
});

/** Kind and path of what `run` throws. */
export function refusal(run: () => unknown): { kind: string; param: string | null; status: number } | null {
  try {
    run();
    return null;
  } catch (thrown) {
    const { kind, param, status } = thrown as { kind: string; param: string | null; status: number };
    return { kind, param, status };
  }
}

export const call = (id: string, name = "get_time", input = '{"zone":"UTC"}'): Block => ({
  type: "tool-call",
  id,
  name,
  kind: "function",
  input,
});

export const result = (callId: string, text = "noon", isError = false): Block => ({
  type: "tool-result",
  callId,
  content: text === "" ? [] : [{ type: "text", text }],
  isError,
});
