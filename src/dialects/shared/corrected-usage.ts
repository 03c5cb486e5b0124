// Usage in a stream frame that cannot be true, and its replacement.
import type { Usage } from "../../canonical/usage.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Frame } from "../../lib/sse.ts";
import type { Passthrough } from "../dialect.ts";

interface UsageMember {
  readonly name: string;
  /** The member of the frame that contains it; absent where it is the frame itself. */
  readonly within?: string;
  isFalse(usage: JsonObject): boolean;
  render(usage: Usage): JsonObject;
}

/** Most frames are excluded without parsing them. */
export function corrector({ name, within, isFalse, render }: UsageMember): NonNullable<Passthrough["corrected"]> {
  return (frame) => {
    if (!frame.data.includes(`"${name}"`)) return null;
    const event = parseExactText(frame.data);
    if (!isObject(event)) return null;
    const holder = within === undefined ? event : event[within];
    const usage = isObject(holder) ? holder[name] : undefined;
    if (!isObject(holder) || !isObject(usage) || !isFalse(usage)) return null;
    return (right): Frame => {
      const changed = { ...holder, [name]: render(right) };
      return { ...frame, data: JSON.stringify(within === undefined ? changed : { ...event, [within]: changed }) };
    };
  };
}
