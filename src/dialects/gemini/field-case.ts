// Names on this wire: clients may write every field in camelCase or snake_case; the gateway uses camelCase.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

/** Members of a message that are messages themselves. Everything else is user data and is unchanged. */
interface Shape {
  readonly [member: string]: Shape;
}

const plain: Shape = {};
const content: Shape = {
  parts: {
    inlineData: plain,
    fileData: plain,
    functionCall: plain,
    functionResponse: { parts: { inlineData: plain, fileData: plain } },
    executableCode: plain,
    codeExecutionResult: plain,
    videoMetadata: plain,
    mediaResolution: plain,
  },
};
const request: Shape = {
  contents: content,
  systemInstruction: content,
  tools: { functionDeclarations: plain },
  toolConfig: { functionCallingConfig: plain, retrievalConfig: plain },
  generationConfig: { thinkingConfig: plain, imageConfig: plain, speechConfig: plain },
  safetySettings: plain,
};
const counting: Shape = { ...request, generateContentRequest: request };

/** The name as the official SDK writes it. */
export function camelCase(name: string): string {
  return name.includes("_") ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : name;
}

/** The snake_case spelling of a camelCase name. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function respelledAny(value: Json | undefined, shape: Shape): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => respelledAny(item, shape) ?? null);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  return isObject(value) ? respelled(value, shape) : value;
}

/** The message with renamed members; the same object when nothing changes. */
function respelled(message: JsonObject, shape: Shape): JsonObject {
  let changed: JsonObject | null = null;
  for (const name in message) {
    const own = camelCase(name);
    const inner = Object.hasOwn(shape, own) ? shape[own] : undefined;
    const before = message[name];
    const after = inner === undefined ? before : respelledAny(before, inner);
    if (own === name && after === before) continue;
    changed ??= { ...message };
    if (own !== name) delete changed[name];
    changed[own] = after;
  }
  return changed ?? message;
}

/** A request with every field under its camelCase name. */
export function inCamelCase(wire: JsonObject): JsonObject {
  return respelled(wire, counting);
}
