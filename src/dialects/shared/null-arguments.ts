// Arguments of streamed calls that are `null`: they become `{}`, as in whole replies, so the first letters wait until they are known.
import type { Delta } from "../../canonical/stream-event.ts";
import type { StreamReader } from "../dialect.ts";
import { isNoArguments } from "./arguments.ts";

const mayBeNull = /^\s*(?:n(?:u(?:l(?:l\s*)?)?)?)?$/;

/** A stage for the deltas of one reply. */
function stage(): (delta: Delta) => Delta[] {
  const held = new Map<string, string>();
  const keyOf = ({ choice, block }: { readonly choice: number; readonly block: number }) => `${choice}/${block}`;
  return (delta) => {
    if (delta.type === "block-open") {
      if (delta.open.kind === "tool-call" && delta.open.tool === "function") held.set(keyOf(delta), "");
      return [delta];
    }
    if (held.size === 0 || (delta.type !== "tool-input" && delta.type !== "block-close")) return [delta];
    const before = held.get(keyOf(delta));
    if (before === undefined) return [delta];
    if (delta.type === "block-close") {
      held.delete(keyOf(delta));
      if (before === "") return [delta];
      const { choice, block } = delta;
      return [{ type: "tool-input", choice, block, text: isNoArguments(before) ? "{}" : before }, delta];
    }
    const text = before + delta.text;
    if (mayBeNull.test(text)) {
      held.set(keyOf(delta), text);
      return [];
    }
    held.delete(keyOf(delta));
    return [before === "" ? delta : { ...delta, text }];
  };
}

/** The reader with `{}` for arguments that are `null`. */
export function withoutNullArguments(reader: StreamReader): StreamReader {
  const pass = stage();
  return { ...reader, read: (frame) => reader.read(frame).flatMap(pass), end: () => reader.end().flatMap(pass) };
}
