// Writes events as the records of a stream for one client: only text, after its prompt if the client requested an echo.
import type { ChatRequest, FinishReason } from "../../canonical/chat.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { Frame } from "../../lib/sse.ts";
import type { StreamWriter, WriteContext } from "../dialect.ts";
import { errorFrames } from "../openai-error.ts";
import { characterCount } from "../shared/json-accessors.ts";
import { renderStopReason } from "../shared/openai-finish-reason.ts";
import { lastRecords, recordHead, recordTail } from "../shared/openai-stream-chunks.ts";
import { renderLogprobs } from "./logprobs.ts";
import { echoes } from "./prompt.ts";
import { plain } from "./response.ts";

type Of<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>;

interface ChoiceState {
  /** Characters whose log probabilities have been written, for the offsets of the next ones. */
  toldCharacters: number;
}

interface State {
  readonly context: WriteContext;
  readonly echo: (choice: number) => string;
  readonly wantsUsage: boolean;
  readonly tail: string;
  head: string;
  readonly choices: (ChoiceState | undefined)[];
  done: boolean;
}

const object = "text_completion";

function record(state: State, choice: number, text: string, logprobs = "null", reason = "null"): Frame {
  const entry = `{"text":${JSON.stringify(text)},"index":${choice},"logprobs":${logprobs},"finish_reason":${reason}}`;
  return { data: state.head + entry + state.tail };
}

/** The choice's state; writes its prompt first. */
function choiceAt(state: State, index: number, out: Frame[]): ChoiceState {
  const known = state.choices[index];
  if (known !== undefined) return known;
  const fresh = { toldCharacters: 0 };
  state.choices[index] = fresh;
  const prompt = state.echo(index);
  if (prompt !== "") out.push(record(state, index, prompt));
  return fresh;
}

function openBlock(state: State, delta: Of<"block-start">): Frame[] {
  const out: Frame[] = [];
  choiceAt(state, delta.choice, out);
  return out;
}

function writeText(state: State, delta: Of<"text">): Frame[] {
  const choice = state.choices[delta.choice];
  if (choice === undefined) return [];
  if (delta.logprobs === undefined) return delta.text === "" ? [] : [record(state, delta.choice, delta.text)];
  const logprobs = renderLogprobs(delta.logprobs, choice.toldCharacters);
  for (const { token } of delta.logprobs) choice.toldCharacters += characterCount(token);
  return [record(state, delta.choice, delta.text, JSON.stringify(logprobs))];
}

function finishChoice(state: State, index: number, finishReason: FinishReason, out: Frame[]): void {
  choiceAt(state, index, out);
  out.push(record(state, index, "", "null", `"${renderStopReason(finishReason, plain, false)}"`));
}

function finish(state: State, delta: Of<"finish">): Frame[] {
  const out: Frame[] = [];
  state.done = true;
  delta.finishReasons.forEach((finishReason, index) => {
    finishChoice(state, index, finishReason, out);
  });
  return [...out, ...lastRecords(state.head, state.wantsUsage, delta.usage)];
}

function write(state: State, event: StreamEvent): Frame[] {
  switch (event.type) {
    case "text":
      return writeText(state, event);
    case "start":
      state.head = recordHead(object, state.context, event);
      return [];
    case "block-start":
      return openBlock(state, event);
    case "finish":
      return finish(state, event);
    case "error":
      state.done = true;
      return errorFrames(event.error);
    default:
      return [];
  }
}

/** A writer for one client. The request determines whether usage is included and how each choice starts. */
export function writer(context: WriteContext): StreamWriter {
  const wantsUsage = (context.request as ChatRequest).includeUsage === true;
  const state: State = {
    context,
    echo: echoes(context.wire),
    wantsUsage,
    tail: recordTail(wantsUsage),
    head: recordHead(object, context),
    choices: [],
    done: false,
  };
  return { write: (event) => (state.done ? [] : write(state, event)) };
}
