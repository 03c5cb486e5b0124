// Stores request bodies if a project configures it: never, for errors, for a sample, or all. If it is off, the cost is
// one check of a setting.
import { existsSync } from "node:fs";
import type { Clock } from "../../lib/clock.ts";
import { createThread } from "../../lib/thread.ts";
import { workerAddress } from "../../lib/worker.ts";
import type { LedgerSettlement } from "../ledger/types.ts";
import type { Caller } from "../policy/caller.ts";
import { bodiesPath, removeBodyFile } from "./body-file.ts";
import type { BodyJob, BodyOptions, BodyResult } from "./body-worker.ts";
import { BodyRecorder } from "./recorder.ts";
import type { BodySettings, RecordedRequest } from "./types.ts";

export interface Bodies {
  /** Records this exchange; null if nothing of it is stored. */
  begin(id: string, caller: Caller): BodyRecorder | null;
  /** Applies to requests from now on, and to what is stored. */
  change(settings: BodySettings): void;
  /** Resolves when everything that was recorded is written. */
  close(): Promise<void>;
}

interface BodiesOptions extends BodySettings, Pick<BodyOptions, "dataFolder"> {
  readonly clock: Clock;
  readonly failed: (cause: unknown) => void;
}

/**
 * Records that wait for the thread; further ones are dropped and logged, so that a slow disk does not fill the memory.
 */
const maxWaiting = 256;
const pruneEveryMs = 3_600_000;
const sampleDigits = 8;

/** By the random end of the id, so that the same request is always or never in the sample. */
function isInSample(id: string, percent: number): boolean {
  const digits = id.replaceAll("-", "").slice(-sampleDigits);
  return Number.parseInt(digits, 16) / 16 ** sampleDigits < percent / 100;
}

const isError = ({ state }: LedgerSettlement): boolean => state !== "completed" && state !== "replayed";

/** Writes what was recorded, in a thread, by the settings at that time. */
function createBodyWriter({ clock, failed, dataFolder }: BodiesOptions, settings: () => BodySettings) {
  const isOff = (): boolean => settings().limits.retentionMs === 0;
  const thread = createThread<BodyJob, BodyResult>(() => workerAddress("gateway/bodies/body-worker.ts", import.meta));
  const waiting = new Set<Promise<void>>();
  let open: Promise<void> | null = null;
  const run = async (job: BodyJob, given: readonly ArrayBuffer[] = []): Promise<void> => {
    const { result } = await thread.run(job, given);
    if (result.error !== null) throw new Error(result.error);
  };
  const opened = (): Promise<void> => {
    const { limits, redaction } = settings();
    open ??= run({ open: { dataFolder, limits, redaction }, nowMs: clock.nowMs() }).catch((thrown: unknown) => {
      // The next request tries again.
      open = null;
      throw thrown;
    });
    return open;
  };
  const background = (work: Promise<void>): void => {
    const ended = work.catch(failed).finally(() => waiting.delete(ended));
    waiting.add(ended);
  };
  const write = (request: RecordedRequest): void => {
    if (isOff()) return;
    if (waiting.size >= maxWaiting) {
      failed(new Error("too many bodies wait to be written: one was dropped"));
      return;
    }
    const buffers = request.bodies.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    background(opened().then(() => run({ write: request, nowMs: clock.nowMs() }, buffers)));
  };
  const apply = (): void => {
    const isOpen = open !== null;
    open = null;
    if (isOff()) {
      if (isOpen) background(run({ remove: dataFolder }));
      else removeBodyFile(dataFolder);
    } else if (isOpen || existsSync(bodiesPath(dataFolder))) background(opened());
  };
  const prune = (): void => {
    if (open !== null) background(run({ prune: clock.nowMs() }));
  };
  return {
    isOff,
    write,
    apply,
    prune,
    async close() {
      await Promise.all(waiting);
      thread.close();
    },
  };
}

/** With a retention of 0 nothing is recorded, and stored bodies are deleted. */
export function openBodies(options: BodiesOptions): Bodies {
  const { clock } = options;
  let settings: BodySettings = options;
  const writer = createBodyWriter(options, () => settings);
  const { isOff, write } = writer;
  writer.apply();
  const timer = setInterval(writer.prune, pruneEveryMs).unref();
  return {
    begin(id, caller) {
      const { limits } = settings;
      const { store, sample_percent: percent = 1 } = caller.bodies ?? settings.usual;
      if (isOff() || store === "never" || (store === "sample" && !isInSample(id, percent))) return null;
      const about = { id, atMs: clock.nowMs(), keyId: caller.keyId, project: caller.project, endUser: caller.endUser };
      return new BodyRecorder({
        maxBytes: limits.maxBodyBytes,
        isWanted: (settlement) => store !== "errors" || isError(settlement),
        write: (bodies) => write({ ...about, bodies }),
      });
    },
    change({ usual, limits, redaction }) {
      const isSame = JSON.stringify([limits, redaction]) === JSON.stringify([settings.limits, settings.redaction]);
      settings = { usual, limits, redaction };
      if (!isSame) writer.apply();
    },
    async close() {
      clearInterval(timer);
      await writer.close();
    },
  };
}
