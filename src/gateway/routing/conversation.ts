// Which conversation a request belongs to: the session that it names, else the beginning that all its requests have in common.
import type { OperationRequest } from "../../canonical/operation.ts";
import type { VideoRequest } from "../../canonical/video.ts";

export interface ConversationRequest {
  readonly session: string | null;
  readonly caller: { readonly project: string };
  content(): OperationRequest | VideoRequest;
}

/** What is before the first answer stays the same from request to request: system prompt, tools and the first message. */
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
