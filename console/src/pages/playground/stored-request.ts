// A request of the list for the playground: its format and model, and its conversation where its body is stored.
import { ApiError, call } from "../../data/api.ts";
import type { RequestRow } from "../../data/types.ts";
import type { FormatName } from "./chat.ts";
import type { Message, Part } from "./message.ts";

export interface OpenedRequest {
  readonly format: FormatName;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  /** Why there is no conversation; null where there is one. */
  readonly missing: "operation" | "body" | "denied" | null;
}

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

/** The text or the image of a part, in any format. */
function partOf(part: Json): Part[] {
  const { text, image_url: image, source, inlineData: inline } = part;
  if (typeof text === "string") return [{ kind: "text", text }];
  if (typeof image === "string") return [{ kind: "image", url: image }];
  if (isJson(image)) return [{ kind: "image", url: String(image["url"]) }];
  if (isJson(inline) && !String(inline["mimeType"]).startsWith("image/")) return [];
  if (isJson(inline)) return [{ kind: "image", url: `data:${inline["mimeType"]};base64,${inline["data"]}` }];
  if (!isJson(source)) return [];
  const url = source["type"] === "url" ? source["url"] : `data:${source["media_type"]};base64,${source["data"]}`;
  return [{ kind: "image", url: String(url) }];
}

const partsOf = (content: unknown): Part[] =>
  typeof content === "string" ? [{ kind: "text", text: content }] : listOf(content).flatMap(partOf);

const textIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join("\n");

/** Reads text and images; tool calls and their results are left out. */
function conversationOf(body: Json): Pick<OpenedRequest, "system" | "messages"> {
  const { messages, input, contents, system, instructions, systemInstruction } = body;
  const all = typeof input === "string" ? [{ role: "user", content: input }] : listOf(messages ?? input ?? contents);
  const isSystem = ({ role }: Json): boolean => role === "system" || role === "developer";
  const ofParts = isJson(systemInstruction) ? systemInstruction["parts"] : undefined;
  const heads = [system, instructions, ofParts, ...all.filter(isSystem).map((each) => each["content"])];
  return {
    system: heads.map(textIn).filter(Boolean).join("\n"),
    messages: all
      .filter((each) => !isSystem(each))
      .map(({ role, content, parts }): Message => {
        const isAnswer = role === "assistant" || role === "model";
        return { role: isAnswer ? "assistant" : "user", parts: partsOf(content ?? parts) };
      })
      .filter(({ parts }) => parts.length > 0),
  };
}

/** The client format of a chat. */
export function formatOfRow({ format }: Pick<RequestRow, "format">): FormatName {
  if (/responses/.test(format)) return "responses";
  if (/messages/.test(format)) return "messages";
  return /gemini/.test(format) ? "gemini" : "chat";
}

interface Bodies {
  readonly bodies: readonly { readonly stage: string; readonly encoding: string; readonly body: string }[];
}

async function bodyOf(id: string): Promise<Json | "body" | "denied"> {
  try {
    const { bodies } = await call<Bodies>(`requests/${encodeURIComponent(id)}/bodies`, { method: "POST" });
    const found = bodies.find(({ stage, encoding }) => stage === "request" && encoding === "text");
    const value: unknown = found === undefined ? null : JSON.parse(found.body);
    return isJson(value) ? value : "body";
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 403) return "denied";
    if (cause instanceof SyntaxError || (cause instanceof ApiError && cause.status === 404)) return "body";
    throw cause;
  }
}

/** Reads a request by one of its IDs. */
export async function openRequest(id: string): Promise<OpenedRequest> {
  const row = await call<RequestRow>(`requests/${encodeURIComponent(id)}`);
  const opened = { format: formatOfRow(row), model: row.model, system: "", messages: [] };
  if (row.operation !== "chat") return { ...opened, missing: "operation" };
  const body = await bodyOf(row.id);
  if (body === "body" || body === "denied") return { ...opened, missing: body };
  return { ...opened, ...conversationOf(body), missing: null };
}
