// Reads the records of an upstream's stream as events: each choice is one text block.
import type { FinishReason } from "../../canonical/chat.ts";
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ReadContext, StreamReader } from "../dialect.ts";
import { type ChoiceSide, chunkReader, type Ending } from "../shared/openai-chunk-reader.ts";
import { parseStopReason } from "../shared/openai-finish-reason.ts";
import { parseLogprobs } from "./logprobs.ts";
import { plain } from "./response.ts";

interface ChoiceState extends Ending {
  readonly index: number;
  isOpen: boolean;
}

/** Maximum prompts times maximum choices of one request. */
const maxChoices = 16_384;

function read(choice: ChoiceState, wire: JsonObject, out: StreamEvent[]): void {
  const text = typeof wire.text === "string" ? wire.text : "";
  const logprobs = wire.logprobs ? parseLogprobs(wire.logprobs) : null;
  if (text === "" && logprobs === null) return;
  const at = { choice: choice.index, block: 0 };
  if (!choice.isOpen) out.push({ type: "block-start", ...at, open: { kind: "text" } });
  choice.isOpen = true;
  out.push(logprobs === null ? { type: "text", ...at, text } : { type: "text", ...at, text, logprobs });
}

function close(choice: ChoiceState, out: StreamEvent[]): FinishReason {
  if (choice.isOpen) out.push({ type: "block-end", choice: choice.index, block: 0 });
  return parseStopReason(choice.last ?? {}, plain);
}

const side: ChoiceSide<ChoiceState> = {
  maxChoices,
  begin: (index) => ({ index, isOpen: false, last: null }),
  read,
  close,
};

/** A reader for one stream. */
export function reader(context: ReadContext): StreamReader {
  return chunkReader(context, side);
}
