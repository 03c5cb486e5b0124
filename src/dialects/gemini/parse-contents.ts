// Parses the contents: parts become blocks, and results are matched with the calls that they answer.
import type { Block, Message, ResultPart, TextBlock, ThinkingBlock, ToolResultBlock } from "../../canonical/chat.ts";
import type { ProviderState } from "../../canonical/provider-state.ts";
import type { UnmappedField } from "../../canonical/warning.ts";
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";
import { badValue, missing } from "../errors.ts";
import { isAbsent, objectsIn } from "../shared/json-accessors.ts";
import { nonAssistantMessages } from "../shared/system-prefix.ts";
import { foreign, readFile, readInline } from "./media.ts";
import { nativeOrigin, readState, readThoughts } from "./signature.ts";

interface PendingCall {
  readonly id: string;
  readonly name: string;
}

/** What has been read so far: calls without a result, and a list for what has no canonical field. */
interface Reading {
  pending: PendingCall[];
  /** The previous content was the model's. */
  afterModel: boolean;
  readonly extras: UnmappedField[];
}

/** Where a part is on the wire. */
interface Place {
  readonly path: string;
  readonly content: number;
  readonly part: number;
  readonly isModel: boolean;
}

/** State without thinking of its own: it came with a text, or belongs to another provider's thinking. */
function sealedThought(signature: ProviderState): ThinkingBlock {
  return { type: "thinking", text: "", signature, redacted: true };
}

/** The thinking of other providers, whose state came on this part. */
function thoughtsBefore(part: JsonObject): ThinkingBlock[] {
  const whole = readThoughts(part.thoughtSignature);
  if (whole !== null) return whole;
  const state = readState(part.thoughtSignature, nativeOrigin);
  return state?.sealed ? [sealedThought(state.opaque)] : [];
}

/** The state of the part itself. */
function ownedState(part: JsonObject): ProviderState | null {
  const state = readState(part.thoughtSignature, nativeOrigin);
  return state === null || state.sealed ? null : state.opaque;
}

/** Complete thinking blocks replace the thought parts before them. */
function dropShown(blocks: Block[]): void {
  for (let last = blocks.at(-1); last?.type === "thinking" && !last.signature; last = blocks.at(-1)) blocks.pop();
}

function readCall(part: JsonObject, call: JsonObject, place: Place, reading: Reading): Block[] {
  const path = `${place.path}.functionCall`;
  if (!place.isModel) throw badValue(path, "A function call is allowed only in content with the role 'model'.");
  if (typeof call.name !== "string" || call.name === "") throw missing(`${path}.name`);
  const id = typeof call.id === "string" && call.id !== "" ? call.id : `call_${place.content}_${place.part}`;
  reading.pending.push({ id, name: call.name });
  const state = ownedState(part);
  const block: Block = {
    type: "tool-call",
    id,
    name: call.name,
    kind: "function",
    input: JSON.stringify(call.args ?? {}),
    ...(state === null ? {} : { signature: state }),
  };
  return [...thoughtsBefore(part), block];
}

/** The call that a result answers: by id, otherwise the first of its name without a result. */
function callIdOf(response: JsonObject, name: string, reading: Reading): string {
  const { id } = response;
  const given = typeof id === "string" && id !== "" ? id : undefined;
  const known = reading.pending.find((call) => (given === undefined ? call.name === name : call.id === given));
  if (known !== undefined) reading.pending = reading.pending.filter((call) => call !== known);
  return known?.id ?? given ?? name;
}

function onlyMember(object: JsonObject): string | null {
  const [name, ...others] = Object.keys(object);
  return name !== undefined && others.length === 0 ? name : null;
}

const asText = (value: Json | undefined): string => (typeof value === "string" ? value : JSON.stringify(value ?? {}));

/** The text if `output` or `error` is the only member, otherwise the object as JSON text. */
function responseText(response: JsonObject): { readonly text: string; readonly isError: boolean } {
  const only = onlyMember(response);
  if (only === "output" && typeof response.output === "string") return { text: response.output, isError: false };
  if (only === "error") return { text: asText(response.error), isError: true };
  return { text: isAbsent(response) ? "" : asText(response), isError: false };
}

function resultMedia(response: JsonObject, path: string): ResultPart[] {
  return objectsIn(response.parts).map((part, index): ResultPart => {
    const at = `${path}.parts[${index}]`;
    const block = isObject(part.inlineData)
      ? readInline(part, part.inlineData, at)
      : isObject(part.fileData)
        ? readFile(part, part.fileData, at)
        : foreign(part, at);
    return block.type === "audio" ? foreign(part, at) : block;
  });
}

function readResult(response: JsonObject, place: Place, reading: Reading): ToolResultBlock {
  const path = `${place.path}.functionResponse`;
  if (place.isModel) throw badValue(path, "A function response is not allowed in content with the role 'model'.");
  if (typeof response.name !== "string" || response.name === "") throw missing(`${path}.name`);
  const { text, isError } = responseText(isObject(response.response) ? response.response : {});
  const textPart: ResultPart[] = text === "" ? [] : [{ type: "text", text }];
  return {
    type: "tool-result",
    callId: callIdOf(response, response.name, reading),
    content: [...textPart, ...resultMedia(response, path)],
    isError,
  };
}

/** Text and its state: native state follows its text, thinking of another provider precedes it. */
function readSpeech(part: JsonObject, text: string): Block[] {
  if (part.thought === true) {
    const whole = readThoughts(part.thoughtSignature);
    if (whole !== null) return whole;
    const state = readState(part.thoughtSignature, nativeOrigin);
    if (text === "" && state === null) return [];
    return [{ type: "thinking", text, ...(state === null ? {} : { signature: state.opaque }) }];
  }
  return withState(text === "" ? [] : [{ type: "text", text }], part);
}

function withState(blocks: Block[], part: JsonObject): Block[] {
  const own = ownedState(part);
  return [...thoughtsBefore(part), ...blocks, ...(own === null ? [] : [sealedThought(own)])];
}

/** Tools that the server ran. The text around them contains the outcome; other dialects cannot replay them. */
const serverWork = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];
/** Members of a part that no other dialect has. */
const notes = ["videoMetadata", "partMetadata", "mediaProcessing", "speechMetadata"];

function readPart(part: JsonObject, place: Place, reading: Reading): Block[] {
  for (const name of notes) {
    if (!isAbsent(part[name])) reading.extras.push({ path: `${place.path}.${name}`, rule: "warn" });
  }
  if (isObject(part.functionCall)) return readCall(part, part.functionCall, place, reading);
  if (isObject(part.functionResponse)) return [readResult(part.functionResponse, place, reading)];
  if (isObject(part.inlineData)) return withState([readInline(part, part.inlineData, place.path)], part);
  if (isObject(part.fileData)) return withState([readFile(part, part.fileData, place.path)], part);
  if (typeof part.text === "string") return readSpeech(part, part.text);
  const work = serverWork.find((name) => isObject(part[name]));
  if (work !== undefined) reading.extras.push({ path: `${place.path}.${work}`, rule: "warn" });
  if (work !== undefined || part.thoughtSignature !== undefined) return readSpeech(part, "");
  if (Object.keys(part).length > 0) return [foreign(part, place.path)];
  throw badValue(
    place.path,
    "A part must have one of 'text', 'inlineData', 'fileData', 'functionCall' or 'functionResponse'.",
  );
}

const roles: ReadonlyMap<Json | undefined, "user" | "model"> = new Map([
  [undefined, "user"],
  [null, "user"],
  ["", "user"],
  ["user", "user"],
  ["function", "user"],
  ["model", "model"],
]);

function readContent(content: JsonObject, index: number, reading: Reading): Message[] {
  const role = roles.get(content.role);
  if (role === undefined) throw badValue(`contents[${index}].role`, "'role' must be 'user' or 'model'.");
  const isModel = role === "model";
  if (isModel && !reading.afterModel) reading.pending = [];
  reading.afterModel = isModel;
  const blocks: Block[] = [];
  for (const [number, part] of objectsIn(content.parts).entries()) {
    const path = `contents[${index}].parts[${number}]`;
    const read = readPart(part, { path, content: index, part: number, isModel }, reading);
    if (readThoughts(part.thoughtSignature)?.some((thought) => thought.text !== "")) dropShown(blocks);
    blocks.push(...read);
  }
  if (blocks.length === 0) return [];
  return isModel ? [{ role: "assistant", blocks }] : nonAssistantMessages(blocks);
}

/** The messages of a conversation; `extras` receives what has no canonical field. */
export function readContents(contents: Json | undefined, extras: UnmappedField[]): Message[] {
  const reading: Reading = { pending: [], afterModel: false, extras };
  return objectsIn(contents).flatMap((content, index) => readContent(content, index, reading));
}

/** The system prefix: a content of text parts, or bare text. */
export function readInstruction(instruction: Json | undefined): TextBlock[] {
  if (typeof instruction === "string") return instruction === "" ? [] : [{ type: "text", text: instruction }];
  const parts = isObject(instruction) ? objectsIn(instruction.parts) : [];
  return parts.flatMap((part, index) => {
    if (typeof part.text === "string") return part.text === "" ? [] : [{ type: "text", text: part.text }];
    throw badValue(`systemInstruction.parts[${index}]`, "A system instruction must contain text parts only.");
  });
}
