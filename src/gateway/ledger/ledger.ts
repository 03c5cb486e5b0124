// The ledger: every admitted request is in it exactly once, whatever happens to the process.
import type { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Money } from "../prices/prices.ts";
import { adjustedSpend, type SpentSince } from "./adjustments.ts";
import { createBallast, freeBallast } from "./ballast.ts";
import { type Checkpointer, createCheckpointer, pinnedSnapshot } from "./checkpoint.ts";
import { ledgerPath, lockFolder, type Unlock } from "./files.ts";
import { type InterruptedRequest, ledgerId, type Recovered, recover } from "./recovery.ts";
import {
  attemptValues,
  openingValues,
  prepareStatements,
  progressValues,
  replayValues,
  type Statements,
  settlementValues,
  statementFor,
  type Write,
} from "./rows.ts";
import { type Durability, openFile } from "./schema.ts";
import { spendBucketMs, spentAtProvider, spentSince } from "./spend.ts";
import type {
  LedgerAttempt,
  LedgerEntry,
  LedgerOpening,
  LedgerProgress,
  LedgerSettlement,
  OpenReservation,
} from "./types.ts";
import { createWriter, type Writer } from "./writer.ts";

export type * from "./types.ts";

export interface Ledger {
  /** How many requests an earlier process had left open; they are `interrupted` now. */
  readonly interrupted: number;
  /** Their reservations, and those of pending tasks. */
  readonly reservations: readonly OpenReservation[];
  /** The id of this file: instances that share a store have a ledger each. */
  readonly id: string;
  /**
   * Resolves when the row is committed; nothing may be sent before. GatewayError `ledger_unavailable` (503) if that is
   * impossible.
   */
  open(opening: LedgerOpening): Promise<LedgerEntry>;
  /** As `open`, for a task that outlives the process: the row is `pending` until it is settled. */
  openPending(opening: LedgerOpening): Promise<void>;
  /** Settles the pending row with this id. False, without a change, if it is settled already or does not exist. */
  settlePending(id: string, settlement: LedgerSettlement): Promise<boolean>;
  /** Adds rows for attempts of an exchange. Failures are logged. */
  recordAttempts(id: string, attempts: readonly LedgerAttempt[]): void;
  /** How many rows wait to be committed. */
  waitingRows(): number;
  /** The sum of the prices of a key, a project or an end user (`project/user`) since a time, in nano-dollars. */
  readonly spent: SpentSince;
  /** What adjustments have added to `spent` since the last call; null if none were booked. */
  followAdjustments(): SpentSince | null;
  /** What a provider charged since a time; `credential` null: with all of its credentials. Reads every row since then. */
  spentAt(provider: string, credential: string | null, sinceMs: number): bigint;
  /** Resolves when the ledger accepts rows; rejects with a GatewayError otherwise. */
  probe(): Promise<void>;
  /** Commits waiting rows and unlocks the folder; open rows become `interrupted` at the next start. */
  close(): Promise<void>;
}

export interface LedgerOptions {
  readonly dataFolder: string;
  readonly durability?: Durability;
  readonly clock?: Clock;
  /** The price of a request that an earlier process had left open; null if it is unknown. Absent: nothing. */
  readonly priceOf?: (request: InterruptedRequest) => Money | null;
  /** Called with every disk error, for the log. */
  readonly onFailure?: (error: unknown) => void;
  /** After how many committed rows the write-ahead log is emptied; each takes about 1 KB of it. */
  readonly checkpointEveryRows?: number;
  /** How long a settlement waits while the disk fails, before it is rejected. */
  readonly settleWaitMs?: number;
}

const progressEveryMs = 5_000;
const defaultCheckpointEveryRows = 8_192;
const defaultSettleWaitMs = 5_000;

/**
 * Opens the ledger of a data folder and recovers the rows of a stopped process. Throws an Error with one sentence if
 * it cannot.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const unlock = lockedFolder(options.dataFolder);
  try {
    freeBallast(options.dataFolder);
    return ledgerIn(openFile(ledgerPath(options.dataFolder), options.durability ?? "process"), unlock, options);
  } catch (cause) {
    unlock();
    throw cannotOpen(options.dataFolder, cause);
  }
}

/** The ledger in an open file. `unlock` is called when it is closed. */
export function ledgerIn(database: Database, unlock: Unlock, options: LedgerOptions): Ledger {
  const recovered = recover(database, options.priceOf);
  const { interrupted, reservations } = recovered;
  return { interrupted, reservations, ...runningLedger(database, recovered, unlock, options) };
}

/** What the rows of one ledger share. */
interface Shared {
  readonly statements: Statements;
  readonly writer: Writer;
  readonly clock: Clock;
  /** Numbers of open rows. */
  readonly open: Set<number>;
  nextNumber(): number;
  nextSequence(): number;
}

function runningLedger(
  database: Database,
  recovered: Recovered,
  unlock: Unlock,
  options: LedgerOptions,
): Omit<Ledger, "interrupted" | "reservations"> {
  const statements = prepareStatements(database);
  const pin = pinnedSnapshot(database);
  const onFailure = options.onFailure ?? (() => undefined);
  const open = new Set<number>();
  let number = recovered.nextNumber;
  let sequence = recovered.nextSequence;
  const marked = () => [oldestOf(open, number) - 1];
  const mark = () => background(writer.write(statements.mark, marked, "drop"));
  const checkpointer: Checkpointer = createCheckpointer({
    path: ledgerPath(options.dataFolder),
    writer: () => writer,
    pin,
    everyRows: options.checkpointEveryRows ?? defaultCheckpointEveryRows,
    beforeCopy: mark,
    onFailure,
  });
  const ballast = createBallast(options.dataFolder, onFailure);
  const writer: Writer = createWriter(database, {
    ballast,
    waitMs: options.settleWaitMs ?? defaultSettleWaitMs,
    onCommit: checkpointer.committed,
    renew: pin.renew,
    onRefusal: onFailure,
  });
  const clock = options.clock ?? systemClock;
  const shared = { statements, writer, clock, open, nextNumber: () => number++, nextSequence: () => sequence++ };
  const id = ledgerId(database);
  const { spent, follow } = adjustedSpend(database, spentSince(database), spendBucketMs);
  pin.pin();
  return {
    id,
    ...rowsOf(shared),
    waitingRows: writer.waitingRows,
    spent,
    followAdjustments() {
      pin.renew();
      return follow();
    },
    spentAt: spentAtProvider(database),
    probe: () => writer.write(statements.mark, marked, "reject"),
    async close() {
      await checkpointer.stop();
      mark();
      writer.close();
      ballast.close();
      pin.unpin();
      closeFile(database, onFailure);
      unlock();
    },
  };
}

/** On a full disk the rows stay in the write-ahead log, which the next start reads. */
function closeFile(database: Database, failed: (error: unknown) => void): void {
  try {
    database.run("pragma wal_checkpoint(truncate)");
  } catch (error) {
    failed(error);
  }
  database.close(true);
}

function rowsOf(shared: Shared): Pick<Ledger, "open" | "openPending" | "settlePending" | "recordAttempts"> {
  const { statements, writer, open } = shared;
  return {
    open(opening) {
      const n = shared.nextNumber();
      const isReplay = opening.replayOf !== undefined;
      const values = isReplay ? replayValues(n, opening) : openingValues(n, opening);
      open.add(n);
      return writer
        .write(isReplay ? statements.openReplay : statements.open, () => values, "reject")
        .then(
          () => new OpenRow(n, opening.id, shared),
          (refused: unknown) => {
            open.delete(n);
            throw refused;
          },
        );
    },
    openPending(opening) {
      const values = openingValues(shared.nextNumber(), opening);
      return writer.write(statements.openPending, () => values, "reject");
    },
    async settlePending(id, settlement) {
      let rows = 0;
      const counted: Write = {
        run(values) {
          const result = statements.settlePending.run(values);
          rows = result.changes;
          return result;
        },
      };
      await writer.write(counted, settlementValues(id, settlement, shared.nextSequence), "retry");
      return rows > 0;
    },
    recordAttempts: (id, attempts) => recordAttempts(shared, id, attempts),
  };
}

class OpenRow implements LedgerEntry {
  declare private readonly n: number;
  declare private readonly id: string;
  declare private readonly shared: Shared;
  declare private readonly openedAtMs: number;
  declare private reportedAtMs: number;
  declare private isSettled: boolean;

  constructor(n: number, id: string, shared: Shared) {
    this.n = n;
    this.id = id;
    this.shared = shared;
    this.openedAtMs = shared.clock.monotonicMs();
    this.reportedAtMs = this.openedAtMs;
    this.isSettled = false;
  }

  progress(progress: LedgerProgress): void {
    const { clock, writer, statements } = this.shared;
    const nowMs = clock.monotonicMs();
    if (this.isSettled || nowMs - this.reportedAtMs < progressEveryMs) return;
    this.reportedAtMs = nowMs;
    const values = progressValues(this.n, progress, nowMs - this.openedAtMs);
    background(writer.write(statements.progress, () => values, "drop"));
  }

  settle(settlement: LedgerSettlement, otherAttempts: readonly LedgerAttempt[] = []): Promise<boolean> {
    if (this.isSettled) return Promise.resolve(false);
    this.isSettled = true;
    const { n, shared } = this;
    const { statements, writer, open, nextSequence } = shared;
    // In the same turn of the event loop as the settlement, and so in the same commit.
    recordAttempts(shared, this.id, otherAttempts);
    const statement = statements[statementFor(settlement)];
    return writer.write(statement, settlementValues(n, settlement, nextSequence), "retry").then(() => {
      open.delete(n);
      return true;
    });
  }
}

function recordAttempts({ statements, writer }: Shared, id: string, attempts: readonly LedgerAttempt[]): void {
  for (const attempt of attempts)
    background(writer.write(statements.attempt, () => attemptValues(id, attempt), "retry"));
}

/** For rows that no caller waits for: the writer reports errors to the log. */
function background(written: Promise<void>): void {
  written.catch(() => undefined);
}

/** Numbers are assigned in order and a set preserves that order, so its first one is the oldest. */
function oldestOf(numbers: ReadonlySet<number>, none: number): number {
  return numbers.values().next().value ?? none;
}

function lockedFolder(dataFolder: string): Unlock {
  try {
    mkdirSync(dataFolder, { recursive: true });
    return lockFolder(dataFolder);
  } catch (cause) {
    throw cannotOpen(dataFolder, cause);
  }
}

function cannotOpen(dataFolder: string, cause: unknown): Error {
  const message = String(Object(cause).message ?? cause);
  if (message.startsWith("The data folder")) return new Error(message, { cause });
  return new Error(`The ledger in the data folder ${dataFolder} cannot be opened: ${message}.`, { cause });
}
