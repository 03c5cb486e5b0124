// The contract of a place for large bytes that outlive a process: whole under a name, or not there.

/** Kept with what lies there, so that it is found after the settings have changed: never changed. */
export type BlobsKind = "folder" | "bucket";

export interface Blobs {
  readonly kind: BlobsKind;
  /** Writes all chunks under the name, in place of what was there; if it rejects, nothing new is there. Gives the number of bytes. */
  write(name: string, chunks: AsyncIterable<Uint8Array>, mediaType: string): Promise<number>;
  /** Bytes from `start` to before `end`; null where there is nothing of this name with this size. */
  open(name: string, size: number, start: number, end: number): Promise<ReadableStream<Uint8Array> | null>;
  /** Nothing of this name is there any more. */
  remove(name: string): Promise<void>;
  /** How many bytes still fit; infinite where nobody can tell. */
  freeBytes(): Promise<number>;
  /** Why nothing can be written here, in one sentence for the operator; null when it can. */
  findProblem(): Promise<string | null>;
  /** Clears away what dead processes began. */
  tidy(nowMs: number): Promise<void>;
}
