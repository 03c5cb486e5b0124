// Large objects in an S3 compatible bucket, written part by part.
import type { Secret } from "../../lib/secret.ts";
import type { Blobs } from "./blobs.ts";

interface BucketOptions {
  readonly endpoint: string;
  readonly name: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  /** Prefix of every name. */
  readonly prefix: string;
}

/** One part waits while another is sent, so a copy holds two of them. */
const partBytes = 5 * 1024 * 1024;
const answerPatienceMs = 60_000;

/** The client has no timeout. */
async function timely<Value>(work: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("The bucket does not respond.")), answerPatienceMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const isMissing = (thrown: unknown): boolean => /^(?:NoSuchKey|NotFound|404)$/.test(String(Object(thrown).code));

async function write(file: Bun.S3File, chunks: AsyncIterable<Uint8Array>, mediaType: string): Promise<number> {
  const writer = file.writer({ type: mediaType, partSize: partBytes, queueSize: 1, retry: 2 });
  let written = 0;
  try {
    for await (const chunk of chunks) {
      writer.write(chunk);
      written += chunk.byteLength;
      await timely(Promise.resolve(writer.flush()));
    }
    await timely(Promise.resolve(writer.end()));
    return written;
  } catch (thrown) {
    await discard(file, writer);
    throw thrown;
  }
}

/** The writer cannot be aborted: it always completes an object from what it has, which is then removed. */
async function discard(file: Bun.S3File, writer: ReturnType<Bun.S3File["writer"]>): Promise<void> {
  const quietly = (work: () => unknown): Promise<unknown> => timely(Promise.resolve().then(work)).catch(() => null);
  await quietly(() => writer.end());
  await quietly(() => file.delete());
}

/** Never exists: requesting it is cheap and shows whether bucket and key are valid. */
const probeName = ".turnpike-probe";

/** Codes of S3 ("Error responses" of its API reference), which compatible servers share, and of Bun's client (1.4). */
const problems: Readonly<Record<string, (bucket: string) => string>> = {
  NoSuchBucket: (bucket) => `The bucket '${bucket}' does not exist.`,
  InvalidBucketName: (bucket) => `'${bucket}' is not a valid bucket name.`,
  InvalidAccessKeyId: () => "The access key of the bucket does not exist.",
  SignatureDoesNotMatch: () => "The secret of the bucket's access key is wrong.",
  Unauthorized: () => "The access key of the bucket is refused.",
  AccessDenied: (bucket) => `The access key is not allowed to write to the bucket '${bucket}'.`,
  PermanentRedirect: (bucket) => `The bucket '${bucket}' is in another region, or has another endpoint.`,
  AuthorizationHeaderMalformed: (bucket) => `The bucket '${bucket}' is in another region.`,
  ConnectionRefused: () => "The endpoint of the bucket cannot be reached.",
};

const codeOf = (thrown: unknown): string => String(Object(thrown).code);

/**
 * S3 denies access to missing objects for a key that may not list the bucket, so only a write shows whether the key
 * may write.
 */
async function tryProbe(file: Bun.S3File): Promise<void> {
  try {
    await file.slice(0, 1).bytes();
  } catch (thrown) {
    if (isMissing(thrown)) return;
    if (codeOf(thrown) !== "AccessDenied") throw thrown;
    await file.write("probe");
    await file.delete();
  }
}

async function findProblem(file: Bun.S3File, bucket: string): Promise<string | null> {
  try {
    await timely(tryProbe(file));
    return null;
  } catch (thrown) {
    const code = codeOf(thrown);
    return problems[code]?.(bucket) ?? `The bucket '${bucket}' cannot be used: ${code.slice(0, 100)}.`;
  }
}

export function bucketBlobs({ endpoint, name, region, accessKeyId, secretAccessKey, prefix }: BucketOptions): Blobs {
  const secret = secretAccessKey.reveal();
  const client = new Bun.S3Client({ endpoint, bucket: name, region, accessKeyId, secretAccessKey: secret });
  const at = (file: string): Bun.S3File => client.file(prefix + file);
  return {
    kind: "bucket",
    write: (file, chunks, mediaType) => write(at(file), chunks, mediaType),
    async open(file, size, start, end) {
      const found = await timely(at(file).stat()).catch((thrown: unknown) => {
        if (isMissing(thrown)) return null;
        throw thrown;
      });
      return found?.size === size ? at(file).slice(start, end).stream() : null;
    },
    remove: (file) => timely(at(file).delete()),
    freeBytes: () => Promise.resolve(Number.POSITIVE_INFINITY),
    findProblem: () => findProblem(at(probeName), name),
    tidy: () => Promise.resolve(),
  };
}
