// The parts of a request over time: what the gateway did itself, each attempt, and the stream.
import { fill, texts } from "../texts.ts";
import { duration, nameOfModel } from "./format.ts";
import type { Attempt, Decision, RequestRow, Timings } from "./types.ts";

export type SpanKind = "own" | "wait" | "stream" | "failed";

export interface Span {
  readonly name: string;
  readonly note: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: SpanKind;
}

const { spans: names } = texts.requests;

/** What the gateway does before the first attempt; it waits for the body of the client, and for a turn. */
const steps = ["authentication", "body", "parsing", "queue", "access", "routing", "limits", "record"] as const;
const waits: readonly string[] = ["body", "queue"];

/** Spans in order of time, one behind the other. */
class Spans {
  readonly all: Span[] = [];
  at = 0;

  add(name: string, kind: SpanKind, toMs: number, status = ""): void {
    const to = Math.max(toMs, this.at);
    const note = `${status === "" ? "" : `${status}, `}${duration(to - this.at)}`;
    this.all.push({ name, note, fromMs: this.at, toMs: to, kind });
    this.at = to;
  }

  /** An attempt as its row has it, in whole milliseconds, but within these times. `before` is the name of what precedes it. */
  attempt(each: Attempt, endMs: number, before: string): void {
    const from = Math.min(Math.max(each.started_ms ?? this.at, this.at), endMs);
    const to = each.duration_ms === null ? endMs : Math.min(from + each.duration_ms, endMs);
    if (from > this.at) this.add(before, "own", from);
    const status = each.outcome === "answered" ? "" : String(each.status ?? each.error_code ?? each.outcome);
    this.add(tryName(each), status === "" ? "wait" : "failed", to, status);
  }
}

const tryName = ({ number, provider }: Attempt): string => fill(names.attempt, { number, provider });

const inMs = (us: number | null): number => (us ?? 0) / 1_000;

/** Spans in order of time. A row of an older version has no times of its own steps: they are what is left over. */
export function spansOf(row: RequestRow): readonly Span[] {
  const { timings } = row;
  return timings === null || timings === undefined ? leftOver(row) : measured(row, timings);
}

function measured({ attempt_list: attempts }: RequestRow, timings: Timings): readonly Span[] {
  const spans = new Spans();
  for (const step of steps) {
    const us = timings[`${step}_us`];
    // Few requests wait for their turn.
    if (us === null || (step === "queue" && us === 0)) continue;
    spans.add(names[step], waits.includes(step) ? "wait" : "own", spans.at + inMs(us));
  }
  const { attempts_us: before, wait_us: wait, stream_us: stream, settlement_us: settlement } = timings;
  const requested = attempts ?? [];
  const answered = wait === null ? undefined : requested.findLast(({ outcome }) => outcome === "answered");
  const startMs = spans.at + inMs(before);
  const failed = requested.filter((each) => each !== answered);
  for (const [index, each] of failed.entries())
    spans.attempt(each, startMs, index === 0 ? names.prepare : names.between);
  if (startMs > spans.at) spans.add(failed.length === 0 ? names.prepare : names.between, "own", startMs);
  if (wait !== null) spans.add(answered ? tryName(answered) : names.wait, "wait", spans.at + inMs(wait));
  if (stream !== null) spans.add(names.stream, "stream", spans.at + inMs(stream));
  if (settlement !== null) spans.add(names.settlement, "own", spans.at + inMs(settlement));
  return spans.all;
}

function leftOver({
  attempt_list: attempts,
  duration_ms: total,
  first_byte_ms: firstByte,
}: RequestRow): readonly Span[] {
  const endMs = total ?? 0;
  const spans = new Spans();
  for (const [index, each] of (attempts ?? []).entries()) {
    const isAnswer = each.outcome === "answered" && each === attempts?.at(-1);
    const byte = each.first_byte_ms ?? (isAnswer ? firstByte : null);
    const end = Math.max(endMs, each.started_ms ?? 0);
    const untilByte = isAnswer && byte !== null ? { ...each, duration_ms: byte - (each.started_ms ?? 0) } : each;
    spans.attempt(untilByte, end, index === 0 ? names.before : names.between);
    const lastMs = Math.min((each.started_ms ?? 0) + (each.duration_ms ?? endMs), end);
    if (isAnswer && byte !== null && lastMs > spans.at) spans.add(names.stream, "stream", lastMs);
  }
  if (endMs > spans.at) spans.add(spans.at === 0 ? names.gateway : names.settlement, "own", endMs);
  return spans.all;
}

/** How long each kind of part took together, in milliseconds; only those that there are. */
export function sumsOf(spans: readonly Span[]): readonly (readonly [SpanKind, number])[] {
  const kinds = ["own", "failed", "wait", "stream"] as const;
  const sum = (kind: SpanKind): number =>
    spans.reduce((total, { kind: of, fromMs, toMs }) => total + (of === kind ? toMs - fromMs : 0), 0);
  return kinds.filter((kind) => spans.some((span) => span.kind === kind)).map((kind) => [kind, sum(kind)] as const);
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
