// `turnpike requests show`: one request as the ledger has it, found by the gateway's id or by the one that the client saw.
import { readSettings } from "../config/environment.ts";
import {
  type AttemptRow,
  answeredAttempt,
  findRequests,
  type RequestRow,
  readAttempts,
} from "../gateway/ledger/read.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText, table } from "./print.ts";

/** Callers may use their ids more than once: so many of them are shown, the newest first. */
const mostShown = 20;

const named = (value: unknown): string => (value === null ? "" : String(value));

/** What is empty in most requests is only shown where it is not. */
const isShown = (value: unknown): boolean => value !== null && value !== 0;

function requestLines({ atMs, ...rest }: RequestRow): string {
  const rows = Object.entries({ ...rest, at: new Date(atMs).toISOString() });
  return table(rows.filter(([, value]) => isShown(value)).map(([name, value]) => [name, named(value)]));
}

function attemptLines(attempts: readonly AttemptRow[]): string {
  const head = [
    ...["attempt", "provider", "model", "outcome", "error", "status", "ms", "possible input tokens"],
    ...["start ms", "credential"],
  ];
  const rows = attempts.map((each) => [
    String(each.number),
    each.provider,
    each.upstreamModel,
    each.outcome,
    named(each.errorCode),
    named(each.httpStatus),
    named(each.durationMs),
    String(each.possibleInputTokens),
    named(each.startedMs),
    named(each.credential),
  ]);
  return table([head, ...rows]);
}

type Found = RequestRow & { readonly failedAttempts: readonly AttemptRow[] };

function textOf({ failedAttempts, ...request }: Found): string {
  const answered = answeredAttempt(request, failedAttempts);
  const attempts = answered === null ? failedAttempts : [...failedAttempts, answered];
  const lines = requestLines(request);
  return attempts.length === 0 ? lines : `${lines}\n\n${attemptLines(attempts)}`;
}

function show(words: readonly string[]): void {
  const { values, positionals } = parseCommonFields(words, { json: { type: "boolean" } }, 1);
  const [id] = positionals;
  if (id === undefined) throw new UsageError("Missing ID. Usage: turnpike requests show ID.");
  const { dataFolder } = readSettings(process.env, process.cwd());
  const found = findRequests(dataFolder, id, mostShown).map((request) => ({
    ...request,
    failedAttempts: readAttempts(dataFolder, request.id),
  }));
  if (found.length === 0) throw new Error(`Request '${id}' was not found in the ledger of ${dataFolder}.`);
  console.log(values.json ? jsonText(found) : found.map(textOf).join("\n\n"));
}

export const requestsCommand: Command = {
  usage: "turnpike requests",
  summary: "requests in the ledger",
  commands: {
    show: {
      usage: "turnpike requests show ID",
      summary: "one request and its attempts, by the gateway's id or by x-request-id",
      options: { "--json": "print JSON" },
      run: show,
    },
  },
};
