// Compares the problems that are found with those that were reported: each is reported once, again after a time, and at
// its end.
import type { Clock } from "../../lib/clock.ts";
import type { JsonObject } from "../../lib/json.ts";
import { type AlertMessage, type AlertStatus, alertTypes, type Problem } from "./problem.ts";

export interface Alerts {
  /** Looks for problems now. */
  look(): Promise<void>;
  /** Reports an event that does not last. */
  note(type: string, message: string, data: JsonObject): void;
  /** Problems that last are reported as if they were new. */
  forget(): void;
}

interface AlertDependencies {
  readonly clock: Clock;
  /** Time between two reminders of one problem; 0: none. */
  reminderMs(): number;
  /** Every problem that there is at present. */
  find(): Promise<readonly Problem[]>;
  send(message: AlertMessage): void;
}

/** Problems that are reported at one time; further ones wait until some have ended. */
const maxProblems = 1_000;

interface Reported {
  readonly problem: Problem;
  readonly since: string;
  sentMs: number;
}

export function createAlerts({ clock, reminderMs, find, send }: AlertDependencies): Alerts {
  const reported = new Map<string, Reported>();
  let looking: Promise<void> | null = null;
  const now = (): string => new Date(clock.nowMs()).toISOString();

  const announce = ({ kind, message, data }: Problem, status: AlertStatus, since: string): void => {
    const { begins, ends } = alertTypes[kind];
    const type = status === "resolved" ? ends : begins;
    send({ type, timestamp: now(), data: { status, message, since, ...data } });
  };
  const report = (problem: Problem): void => {
    const known = reported.get(problem.key);
    const nowMs = clock.monotonicMs();
    if (known === undefined) {
      if (reported.size >= maxProblems) return;
      const since = now();
      reported.set(problem.key, { problem, since, sentMs: nowMs });
      announce(problem, "firing", since);
      return;
    }
    if (reminderMs() === 0 || nowMs - known.sentMs < reminderMs()) return;
    known.sentMs = nowMs;
    announce(problem, "reminder", known.since);
  };
  const compare = (found: readonly Problem[]): void => {
    const keys = new Set(found.map(({ key }) => key));
    for (const [key, { problem, since }] of reported) {
      if (keys.has(key)) continue;
      reported.delete(key);
      announce(problem, "resolved", since);
    }
    for (const problem of found) report(problem);
  };
  return {
    look() {
      looking ??= find()
        .then(compare)
        .finally(() => {
          looking = null;
        });
      return looking;
    },
    forget: () => reported.clear(),
    note: (type, message, data) => send({ type, timestamp: now(), data: { status: "firing", message, ...data } }),
  };
}
