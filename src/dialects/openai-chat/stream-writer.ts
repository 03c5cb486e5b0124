// Writes events as the chunks of a stream for one client.
import type { ChatRequest } from "../../canonical/chat.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
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
  delta.finishReasons.forEach((finishReason, index) => {
    finishChoice(state, index, finishReason, out);
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

function write(state: State, event: StreamEvent): Frame[] {
  switch (event.type) {
    case "text":
      return writeText(state, event);
    case "thinking":
      return writeThinking(state, event);
    case "tool-input":
      return writeInput(state, event);
    case "start":
      return begin(state, event);
    case "block-start":
      return openBlock(state, event);
    case "block-end":
      return closeBlock(state, event);
    case "media":
      return writeMedia(state, event);
    case "finish":
      return finish(state, event);
    case "error":
      return fail(state, event);
  }
}

/**
 * A writer for one client. The request determines whether usage is included and whether calls use the legacy format.
 */
export function writer(context: WriteContext): StreamWriter {
  const request = context.request as ChatRequest;
  const wantsUsage = request.includeUsage === true;
  const state: State = {
    context,
    isLegacy: answersLegacy(request),
    wantsUsage,
    head: recordHead(object, context),
    tail: recordTail(wantsUsage),
    choices: [],
    done: false,
  };
  return { write: (event) => (state.done ? [] : write(state, event)) };
}
