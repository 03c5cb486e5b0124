// A request of the list as a curl command: the same operation, format and model, with a body to fill in.
import { base } from "../../data/gateway.ts";
import type { RequestRow } from "../../data/types.ts";

const message = [{ role: "user", content: "Hello" }];

interface Shape {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** By operation; chat also by the client's format. */
function shapeOf({ operation, format, model, stream }: RequestRow): Shape {
  const streamed = stream ? { stream: true } : {};
  if (operation === "chat" && /messages/.test(format))
    return { path: "/v1/messages", body: { model, max_tokens: 100, messages: message, ...streamed } };
  if (operation === "chat" && /responses/.test(format))
    return { path: "/v1/responses", body: { model, input: "Hello", ...streamed } };
  const shapes: Readonly<Record<string, Shape>> = {
    embed: { path: "/v1/embeddings", body: { model, input: "Hello" } },
    rerank: { path: "/v1/rerank", body: { model, query: "Hello", documents: ["Hello", "Goodbye"] } },
    moderate: { path: "/v1/moderations", body: { model, input: "Hello" } },
    image: { path: "/v1/images/generations", body: { model, prompt: "A bridge" } },
    speak: { path: "/v1/audio/speech", body: { model, input: "Hello", voice: "alloy" } },
    video: { path: "/v1/videos", body: { model, prompt: "A bridge" } },
  };
  return shapes[operation] ?? { path: "/v1/chat/completions", body: { model, messages: message, ...streamed } };
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf(row: RequestRow): string {
  const { path, body } = shapeOf(row);
  const version = path === "/v1/messages" ? ' \\\n  -H "anthropic-version: 2023-06-01"' : "";
  return `curl ${base}${path} \\\n  -H "Authorization: Bearer $TURNPIKE_KEY" -H "Content-Type: application/json"${version} \\\n  -d ${quoted(JSON.stringify(body))}`;
}
