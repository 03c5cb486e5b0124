// Group commit: all writes of one turn of the event loop are one transaction.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { GatewayError } from "../../canonical/error.ts";
import type { Ballast } from "./ballast.ts";
import type { Write } from "./rows.ts";

/** What happens to a row if the disk fails: its promise rejects, it is retried until it succeeds, or it is dropped. */
type OnFailure = "reject" | "retry" | "drop";

export interface Writer {
  /** Resolves when the row is committed; rejects with a GatewayError of code `ledger_unavailable` (503). */
  write(statement: Write, values: () => SQLQueryBindings[], onFailure: OnFailure): Promise<void>;
  /** How many rows wait to be committed. */
  waitingRows(): number;
  /** Commits nothing while `action` runs, then everything that was added meanwhile. */
  holdWhile(action: () => Promise<void>): Promise<void>;
  /** Commits waiting rows at once, and accepts no more; promises of rows that still fail are rejected. */
  close(): void;
}

interface WriterOptions {
  /** How long the caller of a `retry` row waits at most; the row itself is retried indefinitely. */
  readonly waitMs: number;
  /** Called after a commit with the number of rows in it. */
  readonly onCommit: (rows: number) => void;
  /** Called before a second try where another process has written the file. */
  readonly renew: () => void;
  readonly ballast: Pick<Ballast, "isFreed" | "free">;
  /** Called with each error, for the log. */
  readonly onRefusal: (error: unknown) => void;
}

interface Waiting extends Row {
  readonly onFailure: OnFailure;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  refusedSinceMs: number | undefined;
}

const firstRetryMs = 20;
const longestRetryMs = 1_000;

export function createWriter(database: Database, options: WriterOptions): Writer {
  const commitRows = renewingCommitter(rowCommitter(database), options.renew);
  let waiting: Waiting[] = [];
  let scheduled = false;
  let held = false;
  let closed = false;
  /** Above 0 while settled rows wait for the disk: no new rows are accepted then. */
  let retryMs = 0;

  const schedule = () => {
    if (scheduled || held || waiting.length === 0) return;
    scheduled = true;
    if (retryMs === 0) setImmediate(turn);
    else setTimeout(turn, retryMs);
  };
  const turn = () => {
    scheduled = false;
    if (!held && waiting.length > 0) commitWaiting();
    schedule();
  };
  const commitWaiting = () => {
    const rows = waiting;
    waiting = [];
    const failed = withFreedSpace(commitRows(rows), commitRows, options.ballast);
    if (failed.length === 0) for (const row of rows) row.resolve();
    else waiting = [...settleFailed(rows, failed, options), ...waiting];
    retryMs = waiting.length === 0 ? 0 : Math.min(Math.max(retryMs * 2, firstRetryMs), longestRetryMs);
    if (failed.length < rows.length) options.onCommit(rows.length - failed.length);
  };

  return {
    write(statement, values, onFailure) {
      const isFull = retryMs > 0 || options.ballast.isFreed();
      if (isFull && onFailure === "drop") return Promise.resolve();
      if (closed || (isFull && onFailure === "reject"))
        return Promise.reject(unavailable(new Error(closed ? "the ledger is closed" : "the disk refuses rows")));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ statement, values, onFailure, resolve, reject, refusedSinceMs: undefined });
      schedule();
      return promise;
    },
    waitingRows: () => waiting.length,
    async holdWhile(action) {
      held = true;
      try {
        await action();
      } finally {
        held = false;
        schedule();
      }
    },
    close() {
      if (waiting.length > 0) commitWaiting();
      for (const row of waiting) row.reject(unavailable(new Error("the ledger is closed")));
      waiting = [];
      closed = true;
    },
  };
}

const isFullDisk = (error: unknown): boolean => Object(error).code === "SQLITE_FULL";

/** On a full disk, rows of requests in progress are written with the space that was set aside for them. */
function withFreedSpace(
  failed: readonly FailedRow<Waiting>[],
  commitRows: CommitRows,
  ballast: WriterOptions["ballast"],
): readonly FailedRow<Waiting>[] {
  const mustWrite = ({ row, error }: FailedRow<Waiting>): boolean => row.onFailure === "retry" && isFullDisk(error);
  const settling = failed.filter(mustWrite);
  if (settling.length === 0 || !ballast.free()) return failed;
  const others = failed.filter((each) => !mustWrite(each));
  return [...others, ...commitRows(settling.map(({ row }) => row))];
}

/** Resolves or rejects the rows of a batch that failed in part, and returns those to retry. */
function settleFailed(
  rows: readonly Waiting[],
  failed: readonly FailedRow<Waiting>[],
  options: WriterOptions,
): Waiting[] {
  const errors = new Map(failed.map(({ row, error }) => [row, error]));
  return rows.filter((row) => {
    if (errors.has(row)) return mustRetry(row, errors.get(row), options);
    row.resolve();
    return false;
  });
}

function mustRetry(row: Waiting, error: unknown, options: WriterOptions): boolean {
  options.onRefusal(error);
  if (row.onFailure === "drop") row.resolve();
  else if (row.onFailure === "reject" || !isTransient(error)) row.reject(unavailable(error));
  else {
    row.refusedSinceMs ??= performance.now();
    if (performance.now() - row.refusedSinceMs > options.waitMs) row.reject(unavailable(error));
    return true;
  }
  return false;
}

function unavailable(cause: unknown): GatewayError {
  const detail = { code: "ledger_unavailable", retryAfterMs: 1_000, cause };
  return new GatewayError("overloaded", "The ledger cannot be written.", detail);
}

/** A write and its values, which are computed at each try. */
interface Row {
  readonly statement: Write;
  readonly values: () => SQLQueryBindings[];
}

interface FailedRow<Kind extends Row> {
  readonly row: Kind;
  readonly error: unknown;
}

/** Writes rows in one transaction and returns those that failed; all others are committed when it returns. */
type CommitRows = <Kind extends Row>(rows: readonly Kind[]) => readonly FailedRow<Kind>[];

/**
 * A single row commits by itself, without the two statements around it. If a transaction fails, each row is written
 * separately.
 */
function rowCommitter(database: Database): CommitRows {
  const begin = database.prepare("begin immediate");
  const commit = database.prepare("commit");
  const together = (rows: readonly Row[]) => {
    begin.run();
    for (const row of rows) row.statement.run(row.values());
    commit.run();
  };
  return (rows) => {
    if (rows.length === 1) return runEach(rows);
    try {
      together(rows);
      return [];
    } catch {
      if (database.inTransaction) database.run("rollback");
      return runEach(rows);
    }
  };
}

const isStale = ({ error }: FailedRow<Row>): boolean => Object(error).code === "SQLITE_BUSY_SNAPSHOT";

/** A read that was started before another process wrote lets no commit through: it is renewed, and tried again. */
function renewingCommitter(commitRows: CommitRows, renew: () => void): CommitRows {
  return (rows) => {
    const failed = commitRows(rows);
    if (!failed.some(isStale)) return failed;
    renew();
    return commitRows(failed.map(({ row }) => row));
  };
}

function runEach<Kind extends Row>(rows: readonly Kind[]): FailedRow<Kind>[] {
  const failed: FailedRow<Kind>[] = [];
  for (const row of rows) {
    try {
      row.statement.run(row.values());
    } catch (error) {
      failed.push({ row, error });
    }
  }
  return failed;
}

/**
 * Whether the same row can succeed later: the disk is full, broken or locked. A row that violates a constraint never
 * can.
 */
function isTransient(error: unknown): boolean {
  const code = String(Object(error).code);
  return code.startsWith("SQLITE_") && !/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE|MISUSE)/.test(code);
}
