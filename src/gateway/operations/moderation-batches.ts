// Moderation of several inputs by an upstream that takes one at a time, and the second try that judges get.
import { GatewayError } from "../../canonical/error.ts";
import type { ModerateAnswer, ModerateAsk } from "../../canonical/moderation.ts";
import type { Call } from "../../dialects/dialect.ts";
import { badReply, badValue } from "../../dialects/errors.ts";
import { sumUsage } from "../streaming/stop-sequences.ts";

/** Calls that one request may become. */
const mostCalls = 128;

/** Consecutive parts of an ask, each with at most `size` items. */
export function judgedApart(ask: ModerateAsk, size: number): readonly ModerateAsk[] {
  const calls = Math.ceil(ask.items.length / size);
  if (calls > mostCalls) throw badValue("input", `This model judges at most ${mostCalls * size} inputs at once.`);
  if (calls <= 1) return [ask];
  return Array.from({ length: calls }, (_, part) => ({
    ...ask,
    items: ask.items.slice(part * size, (part + 1) * size),
  }));
}

/** Consecutive answers as one. */
export function joinVerdicts(answers: readonly ModerateAnswer[]): ModerateAnswer {
  const usage = sumUsage(answers.map((answer) => answer.usage));
  const verdicts = answers.flatMap((answer) => answer.verdicts);
  const [first] = answers;
  if (first === undefined) throw badReply("there is no verdict");
  return { ...first, verdicts, ...(usage === undefined ? {} : { usage }) };
}

/** An input without its verdict would pass as harmless. Throws `upstream_protocol_error`. */
export function checkVerdicts({ verdicts }: ModerateAnswer, { items }: ModerateAsk): void {
  if (verdicts.length !== items.length)
    throw badReply(`it holds ${verdicts.length} verdicts where ${items.length} were asked for`);
}

/** The reply made no sense, or the server refused the words of the request. */
function isWorthAgain(thrown: unknown): boolean {
  if (!(thrown instanceof GatewayError)) return false;
  const isRefused = thrown.kind === "upstream_rejected" && (thrown.status === 400 || thrown.status === 422);
  return isRefused || thrown.kind === "upstream_protocol_error";
}

/** Reads the reply to a call, and where the call has other words for itself, once more in those. */
export function readOrAgain<T>(read: (call: Call) => Promise<T>): (call: Call) => Promise<T> {
  return (call) =>
    read(call).catch((thrown: unknown) => {
      if (call.again === undefined || !isWorthAgain(thrown)) throw thrown;
      return read(call.again);
    });
}
