// The conversation of a request: the session that it names, otherwise the start that all its requests share.
import type { OperationRequest } from "../../canonical/operation.ts";
import type { VideoRequest } from "../../canonical/video.ts";

export interface ConversationRequest {
  readonly session: string | null;
  readonly caller: { readonly project: string };
  content(): OperationRequest | VideoRequest;
}

/** The part before the first reply is the same in every request: system prompt, tools and the first message. */
export function conversationOf({ session, caller, content }: ConversationRequest): string | null {
  if (session !== null) return `${caller.project}\n${session}`;
  const request = content();
  if (!("operation" in request) || request.operation !== "chat") return null;
  const { messages, tools } = request;
  const first = messages.findIndex(({ role }) => role === "user");
  const prefix = JSON.stringify([
    messages.slice(0, first + 1),
    tools.map((tool) => ("name" in tool ? tool.name : tool.kind)),
  ]);
  return `${caller.project}\n${Bun.hash(prefix).toString(36)}`;
}
