// The contract of a storage for large objects that outlive the process: complete under a name, or absent.

/** Stored with each object, so that it is found after the settings have changed: must never change. */
export type BlobsKind = "folder" | "bucket";

export interface Blobs {
  readonly kind: BlobsKind;
  /**
   * Writes all chunks under the name, replacing an older object. If it rejects, nothing was stored. Returns the number
   * of bytes.
   */
  write(name: string, chunks: AsyncIterable<Uint8Array>, mediaType: string): Promise<number>;
  /** Bytes from `start` to before `end`; null if there is no object with this name and size. */
  open(name: string, size: number, start: number, end: number): Promise<ReadableStream<Uint8Array> | null>;
  /** Removes the object with this name, if it exists. */
  remove(name: string): Promise<void>;
  /** Free bytes; infinite if unknown. */
  freeBytes(): Promise<number>;
  /** Why nothing can be written, in one sentence for the operator; null when it can. */
  findProblem(): Promise<string | null>;
  /** Removes incomplete objects of ended processes. */
  tidy(nowMs: number): Promise<void>;
}
