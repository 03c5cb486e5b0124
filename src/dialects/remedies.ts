// What helps after an upstream error, as its text suggests: one row for each kind, for all dialects.
import type { GatewayError } from "../canonical/error.ts";

/** `another-dialect`: the provider may serve the model in another dialect. `no-reasoning`: retry with reasoning off. */
type Remedy = "another-dialect" | "no-reasoning";

interface Row {
  readonly statuses: readonly number[];
  /** Absent: the status is sufficient. */
  readonly words?: RegExp;
  readonly remedy: Remedy;
}

const rows: readonly Row[] = [
  // The server does not have this path, or not this model on it.
  { statuses: [404, 405], remedy: "another-dialect" },
  // https://github.com/openai/openai-openapi/issues/541: functions with reasoning, and models without chat.
  { statuses: [400], words: /\b(?:use|in) \/?v1\/responses\b/i, remedy: "another-dialect" },
  // https://platform.claude.com/docs/en/build-with-claude/extended-thinking: a history that has lost its thinking.
  { statuses: [400], words: /expected `?thinking`?[^.]{0,60}but found/i, remedy: "no-reasoning" },
  // https://github.com/anthropics/claude-code/issues/63269: thinking that a client has changed.
  { statuses: [400], words: /in the latest assistant message cannot be modified/i, remedy: "no-reasoning" },
];

/** The remedy that an error suggests; undefined where no other request would help. */
export function remedyOf({ kind, status, message }: GatewayError): Remedy | undefined {
  if (kind !== "upstream_rejected") return undefined;
  return rows.find((row) => row.statuses.includes(status) && (row.words?.test(message) ?? true))?.remedy;
}
