// Arguments of streamed calls that are `null` become `{}`, as in complete replies. The first characters wait until they
// are known.
import type { StreamEvent } from "../../canonical/stream-event.ts";
import type { StreamReader } from "../dialect.ts";
import { isNoArguments } from "./arguments.ts";

const mayBeNull = /^\s*(?:n(?:u(?:l(?:l\s*)?)?)?)?$/;

/** A transformation of the events of one reply. */
function stage(): (event: StreamEvent) => StreamEvent[] {
  const held = new Map<string, string>();
  const keyOf = ({ choice, block }: { readonly choice: number; readonly block: number }) => `${choice}/${block}`;
  return (event) => {
    if (event.type === "block-start") {
      if (event.open.kind === "tool-call" && event.open.tool === "function") held.set(keyOf(event), "");
      return [event];
    }
    if (held.size === 0 || (event.type !== "tool-input" && event.type !== "block-end")) return [event];
    const before = held.get(keyOf(event));
    if (before === undefined) return [event];
    if (event.type === "block-end") {
      held.delete(keyOf(event));
      if (before === "") return [event];
      const { choice, block } = event;
      return [{ type: "tool-input", choice, block, text: isNoArguments(before) ? "{}" : before }, event];
    }
    const text = before + event.text;
    if (mayBeNull.test(text)) {
      held.set(keyOf(event), text);
      return [];
    }
    held.delete(keyOf(event));
    return [before === "" ? event : { ...event, text }];
  };
}

/** The reader, with `{}` for arguments that are `null`. */
export function withoutNullArguments(reader: StreamReader): StreamReader {
  const pass = stage();
  return { ...reader, read: (frame) => reader.read(frame).flatMap(pass), end: () => reader.end().flatMap(pass) };
}
