// The parts of a request over time: what the gateway did itself, each attempt, and the stream.
import { texts } from "../texts.ts";
import { duration, nameOfModel } from "./format.ts";
import type { Decision, RequestRow } from "./types.ts";

export interface Span {
  readonly name: string;
  readonly note: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: "own" | "wait" | "stream" | "failed";
}

/** Spans in order of time. The gateway's own work is what is left over. */
export function spansOf({
  attempt_list: attempts,
  duration_ms: total,
  first_byte_ms: firstByte,
}: RequestRow): readonly Span[] {
  const end = total ?? 0;
  const spans: Span[] = [];
  let at = 0;
  for (const each of attempts ?? []) {
    const from = each.started_ms ?? at;
    const isLast = each === attempts?.at(-1);
    const to = each.duration_ms === null ? end : Math.min(from + each.duration_ms, Math.max(end, from));
    if (from > at)
      spans.push({
        name: at === 0 ? "authorize, limits, route" : "between attempts",
        note: duration(from - at),
        fromMs: at,
        toMs: from,
        kind: "own",
      });
    const answered = each.outcome === "answered";
    const name = `try ${each.number} ${each.provider}`;
    const byte = each.first_byte_ms ?? (isLast ? firstByte : null);
    if (!answered)
      spans.push({
        name,
        note: `${each.status ?? each.error_code ?? each.outcome}, ${duration(to - from)}`,
        fromMs: from,
        toMs: to,
        kind: "failed",
      });
    else {
      const first = byte === null ? to : Math.min(Math.max(byte, from), to);
      spans.push({ name, note: `first byte ${duration(first - from)}`, fromMs: from, toMs: first, kind: "wait" });
      if (to > first)
        spans.push({ name: "stream", note: duration(to - first), fromMs: first, toMs: to, kind: "stream" });
    }
    at = Math.max(at, to);
  }
  if (end > at)
    spans.push({ name: at === 0 ? "gateway" : "settle", note: duration(end - at), fromMs: at, toMs: end, kind: "own" });
  return spans;
}

/** Why each provider was chosen, passed over or asked, in this order. */
export function reasonsOf(row: RequestRow): readonly string[] {
  return [...(row.decisions ?? []).map(decisionText), ...attemptTexts(row)];
}

function decisionText({ provider, upstream_model: model, code, reason, field }: Decision): string {
  return `${nameOfModel(provider, model)}: ${reason ?? code}${field === null ? "" : ` (${field})`}`;
}

function attemptTexts({ attempt_list: attempts, error_code: code }: RequestRow): readonly string[] {
  if (attempts === undefined) return [texts.requests.hiddenAttempts];
  const all = attempts ?? [];
  if (all.length === 0) return [`${texts.requests.noAttempt}${code === null ? "" : ` ${code}`}`];
  const [first] = all;
  if (all.length === 1 && first?.outcome === "answered")
    return [texts.requests.oneAttempt.replace("{provider}", first.provider)];
  return all.map((each, index) => {
    const name = `${each.provider} (${each.upstream_model})`;
    if (each.outcome === "answered") return `${name} answered${index === 0 ? "" : ", after the one before it failed"}.`;
    const reason = [each.status, each.error_code].filter((part) => part !== null).join(" ");
    return `${name}: ${each.outcome === "unsent" ? "was not asked" : "failed"}${reason === "" ? "" : `, ${reason}`}.`;
  });
}
