// The thread that redacts, compresses and writes bodies, and deletes the oldest.
import type { Database } from "bun:sqlite";
import { isWholeText } from "../../lib/read-json.ts";
import type { ThreadMessage } from "../../lib/thread.ts";
import { openBodyFile, pruneBodies, removeBodyFile, writeBodies } from "./body-file.ts";
import { redactorFor } from "./redact.ts";
import type { BodyLimits, RecordedBody, RecordedRequest, RedactionRules } from "./types.ts";

export interface BodyOptions {
  readonly dataFolder: string;
  readonly limits: BodyLimits;
  readonly redaction: RedactionRules;
}

export type BodyJob =
  | { readonly open: BodyOptions; readonly nowMs: number }
  | { readonly write: RecordedRequest; readonly nowMs: number }
  | { readonly prune: number }
  /** Deletes the file of this folder. */
  | { readonly remove: string };

export type BodyResult = { readonly error: string | null };

declare const self: Worker;

interface Opened extends BodyOptions {
  readonly database: Database;
  readonly redact: (text: string) => string;
}

let opened: Opened | null = null;
let sincePruned = 0;
const pruneEveryWrites = 32;

/** Every byte is a character in Latin-1, so that binary data is preserved. */
function redacted({ bytes, ...about }: RecordedBody, { redact, limits }: Opened): RecordedBody {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  const encoding = isWholeText(text, buffer.length) ? "utf8" : "latin1";
  const safe = Buffer.from(redact(encoding === "utf8" ? text : buffer.toString("latin1")), encoding);
  return { ...about, bytes: safe.subarray(0, limits.maxBodyBytes) };
}

function prune(all: Opened, nowMs: number): void {
  sincePruned = 0;
  pruneBodies(all.database, all.limits, nowMs);
}

function run(job: BodyJob): void {
  if ("open" in job || "remove" in job) opened?.database.close();
  if ("remove" in job) {
    opened = null;
    removeBodyFile(job.remove);
    return;
  }
  if ("open" in job) {
    opened = { ...job.open, database: openBodyFile(job.open.dataFolder), redact: redactorFor(job.open.redaction) };
    prune(opened, job.nowMs);
    return;
  }
  if (opened === null) throw new Error("the file of bodies is not open");
  const all = opened;
  if ("prune" in job) prune(all, job.prune);
  else {
    writeBodies(all.database, { ...job.write, bodies: job.write.bodies.map((body) => redacted(body, all)) });
    if (++sincePruned >= pruneEveryWrites) prune(all, job.nowMs);
  }
}

self.onmessage = ({ data }: MessageEvent<ThreadMessage<BodyJob>>) => {
  if (!("content" in data)) return;
  let content: BodyResult;
  try {
    run(data.content);
    content = { error: null };
  } catch (thrown) {
    content = { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  self.postMessage({ id: data.id, content });
};
