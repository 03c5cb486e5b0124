// End users of a project: named by requests, counted up to a maximum, each with its own rules or the default ones.
import { GatewayError } from "../../canonical/error.ts";
import { missingUser } from "../../dialects/named-user.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Access, accessOf } from "./access-rules.ts";
import { type Caller, levelOf } from "./caller.ts";
import type { Budget, Rules } from "./rules.ts";

export interface EndUsers {
  /** The caller on behalf of an end user. Throws if the project requires one, or has reached its maximum. */
  of(caller: Caller, user: string | null): Caller;
}

const defaultMax = 100_000;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const pruneEveryMs = 1_000;

/**
 * How long an end user counts after a request: as long as the longest window of its budgets, otherwise of its rates.
 */
const rememberedMs: { readonly [period in Budget["period"]]: number } = {
  day: dayMs,
  week: 7 * dayMs,
  month: 31 * dayMs,
  total: Number.POSITIVE_INFINITY,
};

const memoryOf = ({ budgets = [] }: Rules): number =>
  Math.max(2 * minuteMs, ...budgets.map(({ period }) => rememberedMs[period]));

/** A client chooses the name, so inherited members of objects must not match. */
const rulesOf = ({ rules, default_rules: usual }: NonNullable<Caller["endUsers"]>, user: string): Rules | undefined =>
  rules !== undefined && Object.hasOwn(rules, user) ? rules[user] : usual;

interface Counted {
  /** By name: until when it counts, in monotonic milliseconds. */
  readonly untilMs: Map<string, number>;
  prunedMs: number;
}

function prune(counted: Counted, nowMs: number): void {
  if (nowMs - counted.prunedMs < pruneEveryMs) return;
  counted.prunedMs = nowMs;
  for (const [name, untilMs] of counted.untilMs) if (untilMs <= nowMs) counted.untilMs.delete(name);
}

const tooMany = (max: number): GatewayError =>
  new GatewayError("rate_limit_exceeded", `This project already has ${max} end users in use, which is its maximum.`, {
    retryAfterMs: minuteMs,
  });

export function createEndUsers({ monotonicMs }: Clock): EndUsers {
  const projects = new Map<string, Counted>();
  /** Built once for all end users with the same rules. */
  const accessBy = new WeakMap<Rules, readonly Access[]>();
  const accessFor = (rules: Rules): readonly Access[] => {
    const known = accessBy.get(rules);
    if (known !== undefined) return known;
    const own = accessOf("end_user", rules);
    const access = own === null ? [] : [own];
    accessBy.set(rules, access);
    return access;
  };
  const count = (project: string, user: string, max: number, rules: Rules): void => {
    const counted = projects.get(project) ?? { untilMs: new Map<string, number>(), prunedMs: 0 };
    projects.set(project, counted);
    const nowMs = monotonicMs();
    if (!counted.untilMs.has(user) && counted.untilMs.size >= max) {
      prune(counted, nowMs);
      if (counted.untilMs.size >= max) throw tooMany(max);
    }
    counted.untilMs.set(user, nowMs + memoryOf(rules));
  };
  return {
    of(caller, user) {
      const { endUsers, project, levels, access } = caller;
      if (user === null) {
        if (endUsers?.required === true) throw missingUser();
        return caller;
      }
      const rules = endUsers === null ? undefined : rulesOf(endUsers, user);
      if (rules === undefined) return { ...caller, endUser: user };
      count(project, user, endUsers?.max ?? defaultMax, rules);
      const own = levelOf("end_user", `${project}/${user}`, rules);
      return { ...caller, endUser: user, levels: [...levels, own], access: [...access, ...accessFor(rules)] };
    },
  };
}
