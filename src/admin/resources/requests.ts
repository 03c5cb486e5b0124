// Requests: rows of the ledger, newest first, and a single one with its attempts.
import { Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import type { StoredBody } from "../../gateway/bodies/types.ts";
import type { Adjustment } from "../../gateway/ledger/adjustments.ts";
import { type AttemptRow, answeredAttempt, type RequestRow } from "../../gateway/ledger/read.ts";
import type { LedgerReader } from "../../gateway/ledger/reader.ts";
import type { RequestListFilter } from "../../gateway/ledger/request-list.ts";
import type { PassedOver } from "../../gateway/ledger/types.ts";
import type { PriceExplanation } from "../../gateway/prices/explain.ts";
import { recordedReason } from "../../gateway/routing/explain-reasons.ts";
import { parseDecimal } from "../../lib/decimal.ts";
import type { JsonObject } from "../../lib/json.ts";
import { amountMembers, writeAmounts } from "../amounts.ts";
import { closed, dollars, givenTime, integer, isoTime, money, nullable, shortText, text, time } from "../fields.ts";
import { type Principal, requireRole } from "../permissions.ts";
import { msOf } from "../query.ts";
import { type Action, list, type Resource } from "../resource.ts";
import { termMembers, writtenTerms } from "./request-terms.ts";
import { timings, writtenTimings } from "./request-timings.ts";

export interface RequestDependencies {
  readonly reader: () => Pick<LedgerReader, "requests">;
  /** The attempts of a request except the one that answered. */
  readonly attempts: (id: string) => readonly AttemptRow[];
  /** What repricing has added to the figures of a row. */
  readonly adjustments: (n: number, id: string) => readonly Adjustment[];
  /** By the prices under which it was admitted; null where they are not stored. */
  readonly explained: (row: RequestRow) => PriceExplanation | null;
  /** False for a request that is not in progress. */
  readonly cancel: (id: string) => boolean;
  /** What is stored of the content of a request. */
  readonly bodies: (id: string) => readonly StoredBody[];
}

const states = ["open", "pending", "completed", "failed", "cancelled", "rejected", "interrupted", "replayed"];

const costText = (description: string) => Type.String({ pattern: "^\\d{1,9}(?:\\.\\d{1,9})?$", description });
const durationMs = (description: string) => Type.Integer({ minimum: 0, maximum: 10_000_000_000, description });

/** What lists, and exports, are filtered by. */
export const requestFilters = Type.Object(
  {
    since: Type.Optional(givenTime("From this time on.")),
    until: Type.Optional(givenTime("Before this time.")),
    organization_id: Type.Optional(shortText("Only of this organization.")),
    project_id: Type.Optional(shortText("Only of this project.")),
    key_id: Type.Optional(shortText("Only of this key.")),
    end_user: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "Only of this end user." })),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "Only for this model, as named." })),
    provider: Type.Optional(shortText("Only answered by this provider.")),
    operation: Type.Optional(shortText("Only of this operation.")),
    state: Type.Optional(Type.Enum(states, { type: "string", description: "Only in this state." })),
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: "Only with this HTTP status." })),
    error_code: Type.Optional(shortText("Only with this error code.")),
    request_id: Type.Optional(shortText("The `x-request-id`, or the gateway's own ID.")),
    session: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "Only of this session." })),
    min_duration_ms: Type.Optional(durationMs("At least so long.")),
    max_duration_ms: Type.Optional(durationMs("At most so long.")),
    min_cost: Type.Optional(costText("At least this cost, in US dollars.")),
    max_cost: Type.Optional(costText("At most this cost, in US dollars.")),
  },
  closed,
);

const attempt = Type.Object({
  number: integer("Its place."),
  provider: text("Provider."),
  upstream_model: text("The provider's model ID."),
  credential: nullable(text("Name of the credential.")),
  outcome: text("`answered`, `refused`, `unsent`, or `possible` where the provider may charge it."),
  error_code: nullable(text("Error code.")),
  status: nullable(integer("HTTP status of the provider.")),
  started_ms: nullable(integer("Start, counted from the arrival of the request.")),
  first_byte_ms: nullable(integer("First byte.")),
  duration_ms: nullable(integer("Duration.")),
  possible_tokens: integer("Input tokens that the provider may charge."),
  cost: money("Cost of a failed attempt."),
});

const decision = Type.Object({
  provider: text("Provider."),
  upstream_model: text("The provider's model ID."),
  code: text("Why, as a code: `chosen_by_weighted`, `breaker_open`, `lacks_images`, or that of an error."),
  reason: nullable(text("Why, as a sentence; null for the code of an error.")),
  field: nullable(text("The field that it does not support.")),
});

/** A request as lists have it. */
export const requestObject = Type.Object({
  object: Type.Literal("request"),
  id: text("The gateway's own ID."),
  request_id: nullable(text("The `x-request-id` that the client saw.")),
  created_at: time("When it arrived."),
  organization_id: nullable(text("Organization.")),
  project_id: nullable(text("Project.")),
  key_id: text("Key."),
  end_user: nullable(text("End user.")),
  session: nullable(text("Session.")),
  operation: text("Operation."),
  format: text("The client's format."),
  model: text("The model as the client named it."),
  stream: Type.Boolean({ description: "Whether a stream was requested." }),
  state: text("`open`, `pending`, `completed`, `failed`, `cancelled`, `rejected`, `interrupted` or `replayed`."),
  provider: nullable(text("Who answered.")),
  upstream_model: nullable(text("The provider's model ID.")),
  credential: nullable(text("Name of the credential.")),
  attempts: integer("Number of attempts."),
  status: nullable(integer("HTTP status.")),
  error_code: nullable(text("Error code.")),
  warnings: nullable(text("What was dropped or approximated.")),
  first_byte_ms: nullable(integer("Time to the first byte.")),
  duration_ms: nullable(integer("Duration.")),
  ...amountMembers,
  estimated: Type.Boolean({ description: "Whether the gateway counted what the provider did not report." }),
  charged: Type.Boolean({ description: "Whether the caller pays it." }),
  price: money("What the caller pays."),
  cost: money("What the provider charges."),
  price_version: nullable(text("Version of the price book.")),
  cost_version: nullable(text("Version of the cost book.")),
  replay_of: nullable(text("The request whose reply was returned again.")),
  attempt_list: nullable(Type.Array(attempt, { description: "Every attempt in order; null in lists." })),
  decisions: nullable(
    Type.Array(decision, {
      description: "Why the first candidate was chosen, and others were passed over; null in lists.",
    }),
  ),
  timings: nullable(timings),
  ...termMembers,
});

/** What only a single request has. */
interface Details {
  readonly attempts: readonly AttemptRow[];
  readonly adjustments: readonly Adjustment[];
  readonly explained: PriceExplanation | null;
}

const decisionsOf = ({ passedOver }: RequestRow): JsonObject[] =>
  ((passedOver === null ? [] : JSON.parse(passedOver)) as PassedOver[]).map(
    ({ provider, upstreamModel, reason: code, field = null }) => ({
      ...{ provider, upstream_model: upstreamModel, code, reason: recordedReason(code), field },
    }),
  );

function writtenAttempt(row: AttemptRow): JsonObject {
  return {
    number: row.number,
    provider: row.provider,
    upstream_model: row.upstreamModel,
    credential: row.credential,
    outcome: row.outcome,
    error_code: row.errorCode,
    status: row.httpStatus,
    started_ms: row.startedMs,
    first_byte_ms: row.firstByteMs,
    duration_ms: row.durationMs,
    possible_tokens: row.possibleInputTokens,
    cost: dollars(row.costNanoDollars),
  };
}

/** A row as it is in lists: without its attempts. */
export const writtenRow = (row: RequestRow): JsonObject => written(row, null);

function written(row: RequestRow, details: Details | null): JsonObject {
  return {
    object: "request",
    ...{ id: row.id, request_id: row.requestId, created_at: isoTime(row.atMs) },
    ...{ organization_id: row.organization, project_id: row.project, key_id: row.keyId },
    ...{ end_user: row.endUser, session: row.session, operation: row.operation, format: row.dialect },
    ...{ model: row.model, stream: row.stream === 1, state: row.state, provider: row.provider },
    ...{ upstream_model: row.upstreamModel, credential: row.credential, attempts: row.attempts },
    ...{ status: row.httpStatus, error_code: row.errorCode, warnings: row.warnings },
    ...{ first_byte_ms: row.firstByteMs, duration_ms: row.durationMs },
    ...writeAmounts(row),
    ...{ estimated: row.estimated === 1, charged: row.charged === 1 },
    ...{ price: dollars(row.priceNanoDollars), cost: dollars(row.costNanoDollars) },
    ...{ price_version: row.priceVersion, cost_version: row.costVersion, replay_of: row.replayOf },
    attempt_list: details?.attempts.map(writtenAttempt) ?? null,
    decisions: details && decisionsOf(row),
    timings: details && writtenTimings(row.timings),
    ...writtenTerms(details?.explained ?? null, details?.adjustments ?? null),
  };
}

const body = Type.Object({
  stage: Type.Enum(["request", "upstream_request", "upstream_response", "response"], {
    description: "What the client sent, what went to a provider, what came back, or what the client got.",
  }),
  attempt: nullable(integer("The attempt.")),
  provider: nullable(text("Who was asked.")),
  size: integer("Size in bytes. Where it is more than that of `body`, the rest is not stored."),
  encoding: Type.Enum(["text", "base64"], { description: "`base64` for what is not text." }),
  body: text("The body, without secrets and what `bodies.redact_fields` and `redact_patterns` remove."),
});

/** Access to content is recorded in the audit log. */
function bodiesAction({ reader, bodies }: RequestDependencies): Action {
  return {
    summary: "Returns the stored bodies of a request. Each call is in the audit log.",
    ...{ scope: "object", effect: "outside" },
    reply: Type.Object({ object: Type.Literal("request_bodies"), id: text("The request."), bodies: Type.Array(body) }),
    async run(_context, given) {
      const { rows } = await reader().requests({ filter: { requestId: given }, limit: 1 });
      const id = rows[0]?.id ?? given;
      return { object: "request_bodies", id, bodies: bodies(id).map((each): JsonObject => ({ ...each })) };
    },
  };
}

function cancelAction({ cancel }: RequestDependencies): Action {
  return {
    summary: "Ends a request that is in progress, with an error for its client; it is charged for what it used so far.",
    ...{ scope: "object", effect: "outside" },
    reply: Type.Object({
      object: Type.Literal("request_cancellation"),
      id: text("The request."),
      canceled: Type.Boolean({ description: "False where it is not in progress in the process that answers." }),
    }),
    run: async (_context, id) => ({ object: "request_cancellation", id, canceled: cancel(id) }),
  };
}

const nanoDigits = 9;

type Filters = Record<string, string | number | undefined>;

function nanoDollars(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(parseDecimal(text, nanoDigits));
}

/** Throws status 403 for a filter by cost of a caller who may not see costs. */
export function requestFilterOf(principal: Principal, given: Filters): RequestListFilter {
  if (given.min_cost !== undefined || given.max_cost !== undefined) requireRole(principal, "costs:read");
  const text = (name: string): string | undefined => given[name] as string | undefined;
  const wanted = {
    sinceMs: msOf("since", text("since")),
    untilMs: msOf("until", text("until")),
    organization: text("organization_id"),
    project: text("project_id"),
    key: text("key_id"),
    endUser: text("end_user"),
    session: text("session"),
    model: text("model"),
    provider: text("provider"),
    operation: text("operation"),
    state: text("state"),
    errorCode: text("error_code"),
    requestId: text("request_id"),
    httpStatus: given.status,
    minDurationMs: given.min_duration_ms,
    maxDurationMs: given.max_duration_ms,
    minCostNanoDollars: nanoDollars(text("min_cost")),
    maxCostNanoDollars: nanoDollars(text("max_cost")),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) as RequestListFilter;
}

export function requests(dependencies: RequestDependencies): Resource {
  const { reader, attempts, adjustments, explained } = dependencies;
  return {
    actions: { bodies: bodiesAction(dependencies), cancel: cancelAction(dependencies) },
    ...{ name: "requests", title: "request", object: requestObject },
    list: list(requestFilters, [""], async ({ principal }, { filters: given, limit, after }) => {
      const cursor = after?.[0] as string | undefined;
      if (cursor !== undefined && !/^[a-z0-9]+\.\d{1,15}$/.test(cursor))
        throw new GatewayError("invalid_value", "Invalid 'cursor'.", { param: "cursor" });
      const filter = requestFilterOf(principal, given as Filters);
      const { rows, next } = await reader().requests({ filter, limit, ...(cursor === undefined ? {} : { cursor }) });
      return { data: rows.map((row) => written(row, null)), next: next === null ? null : [next] };
    }),
    async get(_context, id) {
      const { rows } = await reader().requests({ filter: { requestId: id }, limit: 1 });
      const [row] = rows;
      if (row === undefined) return undefined;
      const others = attempts(row.id);
      const answered = answeredAttempt(row, others);
      const all = answered === null ? others : [...others, answered];
      return written(row, { attempts: all, adjustments: adjustments(row.n, row.id), explained: explained(row) });
    },
  };
}
