// Writes deltas as the chunks of a stream for one client.
import type { ChatAsk } from "../../canonical/chat.ts";
import type { Delta } from "../../canonical/stream-event.ts";
import type { Frame } from "../../lib/sse.ts";
import type { StreamWriter, WriteContext } from "../dialect.ts";
import { errorFrames } from "../openai-error.ts";
import { lastRecords, recordHead, recordTail } from "../shared/openai-stream-chunks.ts";
import {
  choiceAt,
  closeBlock,
  finishChoice,
  type Of,
  openBlock,
  type State,
  writeInput,
  writeMedia,
  writeText,
  writeThinking,
} from "./choice-writer.ts";
import { answersLegacy } from "./response.ts";

const object = "chat.completion.chunk";

function finish(state: State, delta: Of<"finish">): Frame[] {
  const out: Frame[] = [];
  state.done = true;
  delta.stops.forEach((stop, index) => {
    finishChoice(state, index, stop, out);
  });
  return [...out, ...lastRecords(state.head, state.wantsUsage, delta.usage)];
}

function begin(state: State, delta: Of<"start">): Frame[] {
  const out: Frame[] = [];
  state.head = recordHead(object, state.context, delta);
  choiceAt(state, 0, out);
  return out;
}

function fail(state: State, delta: Of<"error">): Frame[] {
  state.done = true;
  return errorFrames(delta.error);
}

function write(state: State, delta: Delta): Frame[] {
  switch (delta.type) {
    case "text":
      return writeText(state, delta);
    case "thinking":
      return writeThinking(state, delta);
    case "tool-input":
      return writeInput(state, delta);
    case "start":
      return begin(state, delta);
    case "block-open":
      return openBlock(state, delta);
    case "block-close":
      return closeBlock(state, delta);
    case "media":
      return writeMedia(state, delta);
    case "finish":
      return finish(state, delta);
    case "error":
      return fail(state, delta);
  }
}

/** A writer for one client. The request tells whether usage is wanted and whether calls go in the legacy form. */
export function writer(context: WriteContext): StreamWriter {
  const ask = context.ask as ChatAsk;
  const wantsUsage = ask.includeUsage === true;
  const state: State = {
    context,
    isLegacy: answersLegacy(ask),
    wantsUsage,
    head: recordHead(object, context),
    tail: recordTail(wantsUsage),
    choices: [],
    done: false,
  };
  return { write: (delta) => (state.done ? [] : write(state, delta)) };
}
