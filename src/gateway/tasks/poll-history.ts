// The polls of a task, for operators: the first ones and the newest.
import type { GatewayError } from "../../canonical/error.ts";
import type { VideoState } from "../../canonical/video.ts";

/** What one poll gave. */
export interface PollRecord {
  /** Which poll it was, from 1: those between the first and the newest are not stored. */
  readonly number: number;
  readonly atMs: number;
  readonly durationMs: number;
  /** The status of the provider's reply; null if there was none. */
  readonly status: number | null;
  /** The kind of error; null if the reply was understood. */
  readonly error: string | null;
  readonly message: string | null;
  /** The state and the progress after it. */
  readonly state: VideoState;
  readonly percent: number;
  /** Until the next poll; null after the last. */
  readonly waitMs: number | null;
}

const maxFirst = 10;
const maxNewest = 30;
const maxMessageChars = 300;

/** The list with one more entry. */
export function withPoll(polls: readonly PollRecord[], poll: Omit<PollRecord, "number">): readonly PollRecord[] {
  const all = [...polls, { number: (polls.at(-1)?.number ?? 0) + 1, ...poll }];
  return all.length <= maxFirst + maxNewest ? all : [...all.slice(0, maxFirst), ...all.slice(-maxNewest)];
}

/** The members of an entry for a reply that was an error, or for none. The error is without credentials and addresses. */
export const failedPoll = ({ kind, message, upstreamStatus }: GatewayError) => ({
  status: upstreamStatus ?? null,
  error: kind,
  message: message.slice(0, maxMessageChars),
});
