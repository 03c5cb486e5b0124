// What of a conversation is counted, and what stands for media that no tokenizer reads.
import type { Block, ChatAsk } from "../../canon/conversation.ts";

/** Tokens that a turn costs beside its text. */
const perTurn = 4;
/** A middling price of a picture or a page, where the provider alone knows the true one. */
const perMedia = 800;

function textOf(block: Block): string {
  switch (block.type) {
    case "text":
    case "refusal":
    case "thinking":
      return block.text;
    case "tool-call":
      return `${block.name} ${block.input}`;
    case "tool-result":
      return block.content.map(textOf).join("\n");
    case "document":
      return block.source.kind === "text" ? block.source.text : "";
    case "image":
    case "audio":
      return "";
    case "foreign":
      return JSON.stringify(block.wire);
  }
}

const isMedia = (block: Block): boolean =>
  block.type === "image" || block.type === "audio" || (block.type === "document" && block.source.kind !== "text");

/** The text to count, and the tokens that come on top of it. */
export function countable(ask: ChatAsk): { text: string; extra: number } {
  const blocks = [...ask.system, ...ask.turns.flatMap((turn) => turn.blocks)];
  const tools = ask.tools.length === 0 ? "" : JSON.stringify(ask.tools);
  const media = blocks.filter(isMedia).length;
  return { text: [...blocks.map(textOf), tools].join("\n"), extra: perTurn * ask.turns.length + perMedia * media };
}
