// The ledger: every request that was let through stands in it once, whatever happens to the process.
import { mkdirSync } from "node:fs";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { type Checkpointer, createCheckpointer } from "./checkpoint.ts";
import { lockFolder, type Unlock } from "./process-lock.ts";
import { ledgerId, nextNumber, recover } from "./recovery.ts";
import {
  attemptValues,
  type Durability,
  type LedgerTable,
  ledgerPath,
  openingValues,
  openTable,
  progressValues,
  settlementValues,
} from "./table.ts";
import type { LedgerAttempt, LedgerEntry, LedgerOpening, LedgerSettlement } from "./types.ts";
import { pinnedSnapshot } from "./wal-snapshot-pin.ts";
import { createWriter, type Writer } from "./writer.ts";

export type * from "./types.ts";

export interface Ledger {
  /** How many requests an earlier process had left open; they are `interrupted` now. */
  readonly interrupted: number;
  /** Of this file: instances that share a store have a ledger each. */
  readonly id: string;
  /** Resolves when the row is committed; nothing may be sent before. GatewayError `ledger_unavailable` (503) when it cannot be. */
  open(opening: LedgerOpening): Promise<LedgerEntry>;
  /** As `open`, for a task that goes on when the process has ended: the row is `pending` until it is concluded. */
  openPending(opening: LedgerOpening): Promise<void>;
  /** Settles the pending row of this id. One that is settled already, or is not there, stays as it is. */
  settlePending(id: string, settlement: LedgerSettlement): Promise<void>;
  /** Adds rows for attempts of an exchange. Failures are logged. */
  recordAttempts(id: string, attempts: readonly LedgerAttempt[]): void;
  /** Resolves when the ledger takes rows; rejects with a GatewayError where it does not. */
  probe(): Promise<void>;
  /** Commits what waits and lets the folder go; rows that are still open become `interrupted` at the next start. */
  close(): Promise<void>;
}

export interface LedgerOptions {
  readonly dataFolder: string;
  readonly durability?: Durability;
  readonly clock?: Clock;
  /** Told of every refusal of the disk, for the log. */
  readonly onFailure?: (error: unknown) => void;
  /** After how many committed rows the write-ahead log is emptied; each takes about 1 KB of it. */
  readonly checkpointEveryRows?: number;
  /** How long a settlement waits for a disk that refuses, before its caller is told. */
  readonly settleWaitMs?: number;
}

const progressEveryMs = 5_000;
const defaultCheckpointEveryRows = 8_192;
const defaultSettleWaitMs = 5_000;

/** Opens the ledger of a data folder and recovers what a dead process left. An Error with one sentence when it cannot. */
export function openLedger(options: LedgerOptions): Ledger {
  const unlock = lockedFolder(options.dataFolder);
  try {
    const table = openTable(options.dataFolder, options.durability ?? "process");
    const interrupted = recover(table.database);
    return { interrupted, ...runningLedger(table, unlock, options) };
  } catch (cause) {
    unlock();
    throw cannotOpen(options.dataFolder, cause);
  }
}

function runningLedger(table: LedgerTable, unlock: Unlock, options: LedgerOptions): Omit<Ledger, "interrupted"> {
  const parked = pinnedSnapshot(table.database);
  const onFailure = options.onFailure ?? (() => undefined);
  const openNumbers = new Set<number>();
  let next = nextNumber(table.database);
  const marked = () => [oldestOf(openNumbers, next) - 1];
  const mark = () => forget(writer.write(table.mark, marked(), "forget"));
  const checkpointer: Checkpointer = createCheckpointer({
    path: ledgerPath(options.dataFolder),
    writer: () => writer,
    parked,
    everyRows: options.checkpointEveryRows ?? defaultCheckpointEveryRows,
    beforeCopy: mark,
    onFailure,
  });
  const writer: Writer = createWriter(table.database, {
    waitMs: options.settleWaitMs ?? defaultSettleWaitMs,
    onCommit: checkpointer.committed,
    onRefusal: onFailure,
  });
  const clock = options.clock ?? systemClock;
  const id = ledgerId(table.database);
  parked.park();
  return {
    id,
    open(opening) {
      const n = next++;
      openNumbers.add(n);
      return writer.write(table.open, openingValues(n, opening), "tell").then(
        () => entryOf({ n, id: opening.id, table, writer, clock, done: () => openNumbers.delete(n) }),
        (refused: unknown) => {
          openNumbers.delete(n);
          throw refused;
        },
      );
    },
    openPending: (opening) => writer.write(table.begin, openingValues(next++, opening), "tell"),
    settlePending: (id, settlement) => writer.write(table.conclude, settlementValues(id, settlement), "retry"),
    recordAttempts: (id, attempts) => recordAttempts(table, writer, id, attempts),
    probe: () => writer.write(table.mark, marked(), "tell"),
    async close() {
      await checkpointer.stop();
      mark();
      writer.close();
      parked.unpark();
      table.database.run("pragma wal_checkpoint(truncate)");
      table.database.close(true);
      unlock();
    },
  };
}

interface EntryParts {
  readonly n: number;
  readonly id: string;
  readonly table: LedgerTable;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly done: () => void;
}

function entryOf({ n, id, table, writer, clock, done }: EntryParts): LedgerEntry {
  let settled = false;
  let reportedAtMs = clock.monotonicMs();
  const openedAtMs = reportedAtMs;
  return {
    progress(progress) {
      const nowMs = clock.monotonicMs();
      if (settled || nowMs - reportedAtMs < progressEveryMs) return;
      reportedAtMs = nowMs;
      forget(writer.write(table.progress, progressValues(n, progress, nowMs - openedAtMs), "forget"));
    },
    settle(settlement, failedAttempts = []) {
      if (settled) return Promise.resolve(false);
      settled = true;
      // In the same turn of the event loop as the settlement, and so in the same commit.
      recordAttempts(table, writer, id, failedAttempts);
      return writer.write(table.settle, settlementValues(n, settlement), "retry").then(() => {
        done();
        return true;
      });
    },
  };
}

function recordAttempts(table: LedgerTable, writer: Writer, id: string, attempts: readonly LedgerAttempt[]): void {
  for (const attempt of attempts) forget(writer.write(table.attempt, attemptValues(id, attempt), "retry"));
}

/** For rows that nobody waits for: the writer has already told the log. */
function forget(written: Promise<void>): void {
  written.catch(() => undefined);
}

/** Numbers are given in order and a set keeps that order, so its first one is the oldest. */
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
