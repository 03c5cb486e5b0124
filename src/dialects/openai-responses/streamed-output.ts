// Collects the output of a stream so far: complete items, and the content of those still open.
import { isObject, type Json, type JsonObject } from "../../lib/json.ts";

interface OpenPart {
  readonly list: "content" | "summary";
  readonly index: number;
  readonly part: JsonObject;
  /** Text with its JSON escapes: it is only decoded if the stream breaks. */
  escaped: string[];
}

interface OpenItem {
  wire: JsonObject;
  readonly isDone: boolean;
  readonly parts: Map<string, OpenPart>;
}

interface State {
  readonly items: Map<number, OpenItem>;
  /** The part that text without an index continues. */
  current: OpenPart | null;
}

/** Collects the output for a failed response. */
interface StreamedOutput {
  add(event: JsonObject): void;
  /** True while text without an index can only continue one part. */
  isInText(): boolean;
  /** More of that part, with its escapes. */
  addText(escaped: string): void;
  items(): JsonObject[];
}

/** The part that an event continues or replaces, and its type if its start was not sent. */
interface Place {
  readonly list: OpenPart["list"];
  readonly type: string;
}

const deltas: ReadonlyMap<unknown, Place> = new Map<unknown, Place>([
  ["response.output_text.delta", { list: "content", type: "output_text" }],
  ["response.refusal.delta", { list: "content", type: "refusal" }],
  ["response.reasoning_text.delta", { list: "content", type: "reasoning_text" }],
  ["response.reasoning_summary_text.delta", { list: "summary", type: "summary_text" }],
]);

const wholes: ReadonlyMap<unknown, OpenPart["list"]> = new Map<unknown, OpenPart["list"]>([
  ["response.content_part.added", "content"],
  ["response.content_part.done", "content"],
  ["response.reasoning_summary_part.added", "summary"],
  ["response.reasoning_summary_part.done", "summary"],
]);

/** The member of a call that an event continues. */
const inputs: ReadonlyMap<unknown, string> = new Map([
  ["response.function_call_arguments.delta", "arguments"],
  ["response.custom_tool_call_input.delta", "input"],
]);

const maxPieces = 256;
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const escapedText = (value: string): string => JSON.stringify(value).slice(1, -1);

function indexIn(event: JsonObject, name: string): number {
  const value = event[name];
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : 0;
}

function itemOf({ items }: State, event: JsonObject): OpenItem {
  const index = indexIn(event, "output_index");
  const item = items.get(index) ?? { wire: {}, isDone: false, parts: new Map() };
  items.set(index, item);
  return item;
}

function addPiece(part: OpenPart, escaped: string): void {
  part.escaped.push(escaped);
  // Each fragment is a view of the chunk that it came in. Joining the fragments releases the chunks.
  if (part.escaped.length >= maxPieces) part.escaped = [part.escaped.join("")];
}

function growPart(state: State, event: JsonObject, { list, type }: Place): void {
  const { parts } = itemOf(state, event);
  const index = indexIn(event, `${list}_index`);
  const blank: JsonObject = type === "output_text" ? { type, annotations: [] } : { type };
  const part = parts.get(`${list}${index}`) ?? { list, index, part: blank, escaped: [] };
  parts.set(`${list}${index}`, part);
  addPiece(part, escapedText(text(event.delta)));
  state.current = type === "output_text" ? part : null;
}

function replacePart(state: State, event: JsonObject, list: OpenPart["list"]): void {
  const index = indexIn(event, `${list}_index`);
  if (isObject(event.part))
    itemOf(state, event).parts.set(`${list}${index}`, { list, index, part: event.part, escaped: [] });
}

function growCall(state: State, event: JsonObject, member: string): void {
  const item = itemOf(state, event);
  item.wire = { ...item.wire, [member]: text(item.wire[member]) + text(event.delta) };
}

function replaceItem({ items }: State, event: JsonObject, isDone: boolean): void {
  if (isObject(event.item)) items.set(indexIn(event, "output_index"), { wire: event.item, isDone, parts: new Map() });
}

function add(state: State, event: JsonObject): void {
  const { type } = event;
  const place = deltas.get(type);
  const list = wholes.get(type);
  const member = inputs.get(type);
  state.current = null;
  if (place !== undefined) growPart(state, event, place);
  else if (list !== undefined) replacePart(state, event, list);
  else if (member !== undefined) growCall(state, event, member);
  else if (type === "response.output_item.added") replaceItem(state, event, false);
  else if (type === "response.output_item.done") replaceItem(state, event, true);
}

function cutPart({ part, escaped }: OpenPart): JsonObject {
  const member = part.type === "refusal" ? "refusal" : "text";
  return { ...part, [member]: text(part[member]) + String(JSON.parse(`"${escaped.join("")}"`)) };
}

function cutItem({ wire, parts }: OpenItem): JsonObject {
  const item: JsonObject = "status" in wire ? { ...wire, status: "incomplete" } : { ...wire };
  for (const part of parts.values()) {
    const own = item[part.list];
    const list = Array.isArray(own) ? [...own] : [];
    list[Math.min(part.index, list.length)] = cutPart(part);
    item[part.list] = list;
  }
  return item;
}

/** A collector for one stream. */
export function streamedOutput(): StreamedOutput {
  const state: State = { items: new Map(), current: null };
  return {
    add: (event) => add(state, event),
    isInText: () => state.current !== null,
    addText(escaped) {
      if (state.current !== null) addPiece(state.current, escaped);
    },
    items: () =>
      [...state.items.entries()]
        .sort(([left], [right]) => left - right)
        .map(([, item]) => (item.isDone ? item.wire : cutItem(item)))
        .filter((item) => typeof item.type === "string"),
  };
}
