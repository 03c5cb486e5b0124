// Separates thinking that a server leaves in the text, between tags at its start, independently of chunk boundaries.
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { ResponsePatch, StreamPatch } from "./provider.ts";

const opening = "<think>";
const closing = "</think>";

/** The parts of a piece of text. */
interface SplitText {
  readonly thinking: string;
  readonly text: string;
}

/** A text in progress: before the tag, within it, after it but before the answer, and in the answer. */
interface Splitter {
  push(piece: string): SplitText;
  /** The text held back, at the end of the stream. */
  end(): SplitText;
  isSettled(): boolean;
}

/** The offset of what may become a closing tag, or of white space before one; otherwise the length of the text. */
function holdFrom(text: string): number {
  let end = text.length;
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length--) {
    if (!closing.startsWith(text.slice(-length))) continue;
    end = text.length - length;
    break;
  }
  return text.slice(0, end).trimEnd().length;
}

interface State {
  phase: "before" | "thinking" | "behind" | "text";
  held: string;
  /** Thinking has been returned, so white space is part of it from then on. */
  hasThought: boolean;
}

const none: SplitText = { thinking: "", text: "" };

function begin(state: State): SplitText {
  const trimmed = state.held.trimStart();
  if (trimmed === "" || (trimmed !== opening && opening.startsWith(trimmed))) return none;
  if (trimmed.startsWith(opening)) {
    state.phase = "thinking";
    state.held = trimmed.slice(opening.length);
    return think(state);
  }
  state.phase = "text";
  return speak(state);
}

function think(state: State): SplitText {
  if (!state.hasThought) state.held = state.held.trimStart();
  const end = state.held.indexOf(closing);
  const until = end < 0 ? holdFrom(state.held) : state.held.slice(0, end).trimEnd().length;
  const thinking = state.held.slice(0, until);
  state.hasThought ||= thinking !== "";
  state.held = state.held.slice(end < 0 ? until : end + closing.length);
  if (end < 0) return { thinking, text: "" };
  state.phase = "behind";
  return { thinking, text: answer(state).text };
}

function answer(state: State): SplitText {
  state.held = state.held.trimStart();
  if (state.held !== "") state.phase = "text";
  return speak(state);
}

function speak(state: State): SplitText {
  const text = state.held;
  state.held = "";
  return { thinking: "", text };
}

const phases = { before: begin, thinking: think, behind: answer, text: speak } as const;

function splitter(): Splitter {
  const state: State = { phase: "before", held: "", hasThought: false };
  return {
    push(piece) {
      state.held += piece;
      return phases[state.phase](state);
    },
    end() {
      const rest = state.held;
      state.held = "";
      return state.phase === "thinking" ? { thinking: rest.trimEnd(), text: "" } : { thinking: "", text: rest };
    },
    isSettled: () => state.phase === "text",
  };
}

/** Puts thinking under the member that the dialect's clients read, before any thinking that the server sent. */
function withThinking(message: JsonObject, { thinking, text }: SplitText, blank: Json): JsonObject {
  const content = text === "" ? blank : text;
  if (thinking === "") return { ...message, content };
  const known = typeof message.reasoning_content === "string" ? message.reasoning_content : "";
  return { ...message, content, reasoning_content: thinking + known };
}

/** The tokens of the text after the thinking; those of the thinking have no field on the wire. */
function tokensBehind(logprobs: Json | undefined, textLength: number): Json | undefined {
  if (!isObject(logprobs) || !Array.isArray(logprobs.content)) return logprobs;
  const { content } = logprobs;
  let length = 0;
  const from = content.findLastIndex((entry) => {
    length += isObject(entry) && typeof entry.token === "string" ? entry.token.length : 0;
    return length >= textLength;
  });
  return textLength === 0 ? null : { ...logprobs, content: content.slice(Math.max(0, from)) };
}

function patchWhole(choice: Json): Json {
  if (!isObject(choice) || !isObject(choice.message) || typeof choice.message.content !== "string") return choice;
  if (!choice.message.content.trimStart().startsWith(opening)) return choice;
  const splitting = splitter();
  const first = splitting.push(choice.message.content);
  const last = splitting.end();
  const split = { thinking: first.thinking + last.thinking, text: first.text + last.text };
  const hasCalls = Array.isArray(choice.message.tool_calls) && choice.message.tool_calls.length > 0;
  const message = withThinking(choice.message, split, hasCalls ? null : "");
  const logprobs = tokensBehind(choice.logprobs, split.text.length);
  return { ...choice, message, ...(logprobs === undefined ? {} : { logprobs }) };
}

function patchPiece(choice: JsonObject, delta: JsonObject, splitting: Splitter): JsonObject {
  const piece = typeof delta.content === "string" ? delta.content : "";
  const first = splitting.push(piece);
  const last = typeof choice.finish_reason === "string" ? splitting.end() : none;
  const split = { thinking: first.thinking + last.thinking, text: first.text + last.text };
  if (split.thinking === "" && split.text === piece) return choice;
  const isSilent = split.text === "" && choice.logprobs !== undefined;
  return { ...choice, delta: withThinking(delta, split, ""), ...(isSilent ? { logprobs: null } : {}) };
}

function choicesThrough(body: JsonObject, change: (choice: Json) => Json): JsonObject {
  if (!Array.isArray(body.choices)) return body;
  let isSame = true;
  const choices = body.choices.map((choice) => {
    const changed = change(choice);
    isSame &&= changed === choice;
    return changed;
  });
  return isSame ? body : { ...body, choices };
}

/** A choice beyond the first, which may start long after the first. */
const anotherChoice = /"index"\s*:\s*[1-9]/;

function streamPatch(): StreamPatch {
  const splitters = new Map<Json | undefined, Splitter>();
  const isSettled = (): boolean => splitters.size > 0 && [...splitters.values()].every((one) => one.isSettled());
  return {
    needs: (raw) => !isSettled() || anotherChoice.test(raw),
    patch: (body) =>
      choicesThrough(body, (choice) => {
        if (!isObject(choice) || !isObject(choice.delta)) return choice;
        const splitting = splitters.get(choice.index) ?? splitter();
        splitters.set(choice.index, splitting);
        return patchPiece(choice, choice.delta, splitting);
      }),
  };
}

/** For servers that leave the separation of thinking to their clients. */
export const inlineThinking: ResponsePatch = {
  marker: "think",
  patch: (body) => choicesThrough(body, patchWhole),
  stream: streamPatch,
};
