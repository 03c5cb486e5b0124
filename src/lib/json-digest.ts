// A digest of a JSON value and of files, independent of member order and encoding.
import { inSteps } from "./event-loop-turn.ts";
import { isObject, type Json } from "./json.ts";

/** The amount that is hashed in one turn of the event loop. */
const stepBytes = 512 * 1024;

/** Feeds a hash piece by piece, each prefixed with its kind and length, so that no two values give the same bytes. */
class DigestFeed {
  private readonly hasher = new Bun.CryptoHasher("sha256");
  private sinceStep = 0;

  *add(value: Json | undefined): Generator<void> {
    if (typeof value === "string") yield* this.piece("s", value);
    else if (Array.isArray(value)) {
      this.hasher.update(`a${value.length}:`);
      for (const item of value) yield* this.add(item);
    } else if (isObject(value)) yield* this.members(value);
    else yield* this.piece("v", JSON.stringify(value) ?? "");
  }

  *bytes(bytes: Uint8Array): Generator<void> {
    this.hasher.update(`b${bytes.length}:`);
    for (let at = 0; at < bytes.length; at += stepBytes) {
      this.hasher.update(bytes.subarray(at, at + stepBytes));
      yield* this.counted(stepBytes);
    }
  }

  end(): string {
    return this.hasher.digest("hex");
  }

  private *members(value: { readonly [name: string]: Json | undefined }): Generator<void> {
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    this.hasher.update(`o${names.length}:`);
    for (const name of names.sort()) {
      yield* this.piece("n", name);
      yield* this.add(value[name]);
    }
  }

  private *piece(kind: string, text: string): Generator<void> {
    this.hasher.update(`${kind}${text.length}:${text}`);
    yield* this.counted(text.length);
  }

  private *counted(bytes: number): Generator<void> {
    this.sinceStep += bytes;
    if (this.sinceStep < stepBytes) return;
    this.sinceStep = 0;
    yield;
  }
}

function* steps(value: Json, files: readonly Uint8Array[]): Generator<void, string> {
  const feed = new DigestFeed();
  yield* feed.add(value);
  for (const file of files) yield* feed.bytes(file);
  return feed.end();
}

/** SHA-256 in hex. A large value takes several turns of the event loop. */
export const jsonDigest = (value: Json, files: readonly Uint8Array[] = []): Promise<string> =>
  inSteps(steps(value, files));
