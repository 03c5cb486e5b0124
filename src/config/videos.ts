// Settings of videos: lifetimes of tasks and links, the storage of results, and webhooks.
import { isAbsolute, resolve } from "node:path";
import type { ResultStore } from "../gateway/tasks/dependencies.ts";
import { deriveKey, Secret } from "../lib/secret.ts";
import { webhookKeyOf } from "../lib/webhook.ts";
import type { Blobs, BlobsKind } from "../store/blobs/blobs.ts";
import { bucketBlobs } from "../store/blobs/bucket.ts";
import { folderBlobs } from "../store/blobs/folder.ts";
import type { Settings } from "./environment.ts";
import { ConfigFault } from "./faults.ts";
import type { ReadConfig } from "./file.ts";
import type { ConfigFile } from "./schema.ts";

const dayMs = 24 * 60 * 60_000;
const hourMs = 60 * 60_000;
const mebibyte = 1024 * 1024;

export interface VideoOptions {
  readonly retentionMs: number;
  readonly linkLifeMs: number;
  readonly publicUrl: string | null;
  readonly results: ResultStore;
}

export interface VideoKeys {
  readonly linkKey: Uint8Array;
  webhookKey(ownerKeyId: string): Uint8Array;
}

const keeps = ["folder", "bucket", "proxy"] as const;
type Keep = (typeof keeps)[number];
type Results = NonNullable<NonNullable<ConfigFile["videos"]>["results"]>;

/** Null for anything but a web URL without credentials. */
function plainUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "")
    return null;
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

function publicUrlOf({ publicUrl }: Settings, { config, fault }: ReadConfig): string | null {
  const expected = "Use a URL such as https://gateway.example, without a query";
  if (publicUrl !== null) {
    const url = plainUrl(publicUrl);
    if (url === null)
      throw new ConfigFault(`TURNPIKE_PUBLIC_URL is not valid: '${publicUrl.slice(0, 100)}'. ${expected}.`);
    return url;
  }
  if (config.public_url === undefined) return null;
  const url = plainUrl(config.public_url);
  if (url === null) throw fault(["public_url"], `not a valid URL. ${expected}`);
  return url;
}

function keepOf(settings: Settings, { keep, bucket }: Results): Keep {
  const setting = settings.videoResults;
  const word = setting === null ? keep : keeps.find((each) => each === setting);
  if (setting !== null && word === undefined)
    throw new ConfigFault(
      `TURNPIKE_VIDEO_RESULTS is not valid: '${setting.slice(0, 100)}'. Use folder, bucket or proxy.`,
    );
  if (word !== undefined) return word;
  if (bucket !== undefined) return "bucket";
  // Instances that share a database may not share a folder.
  return settings.databaseUrl === undefined ? "folder" : "proxy";
}

function placesOf({ dataFolder }: Settings, { folder, bucket }: Results, { fault }: ReadConfig) {
  const path = folder ?? "videos";
  const places = new Map<BlobsKind, Blobs>();
  places.set("folder", folderBlobs(isAbsolute(path) ? path : resolve(dataFolder, path)));
  if (bucket === undefined) return places;
  const { name, endpoint, region = "us-east-1", access_key_id: accessKeyId, secret_access_key, prefix = "" } = bucket;
  if (plainUrl(endpoint) === null) throw fault(["videos", "results", "bucket", "endpoint"], "not a valid URL");
  const secretAccessKey = new Secret(secret_access_key);
  return places.set("bucket", bucketBlobs({ endpoint, name, region, accessKeyId, secretAccessKey, prefix }));
}

function resultsOf(settings: Settings, file: ReadConfig): ResultStore {
  const results = file.config.videos?.results ?? {};
  const keep = keepOf(settings, results);
  const places = placesOf(settings, results, file);
  const target = keep === "proxy" ? null : places.get(keep);
  if (target === undefined) throw file.fault(["videos", "results", "bucket"], "no bucket is configured");
  const maxTotalBytes = (results.max_total_mib ?? 10_240) * mebibyte;
  return {
    target,
    places,
    maxTotalBytes,
    maxVideoBytes: Math.min(maxTotalBytes, (results.max_video_mib ?? 512) * mebibyte),
    minFreeBytes: (results.min_free_mib ?? 2_048) * mebibyte,
    maxAgeMs: (results.max_age_days ?? 7) * dayMs,
  };
}

function givenWebhookKey({ webhookSecret }: Settings): Uint8Array | null {
  const key = webhookSecret === null ? null : webhookKeyOf(webhookSecret);
  if (webhookSecret !== null && key === null)
    throw new ConfigFault("TURNPIKE_WEBHOOK_SECRET must be 'whsec_' followed by 24 to 64 bytes in Base64.");
  return key;
}

/**
 * The key that signs webhooks to an owner: the configured one, otherwise a key per owner, so that no owner can sign
 * for another.
 */
export function webhookKeys(settings: Settings, secret: Secret): (ownerKeyId: string) => Uint8Array {
  const given = givenWebhookKey(settings);
  if (given === null) {
    const key = deriveKey(secret, "webhooks");
    return (ownerKeyId) => new Uint8Array(new Bun.CryptoHasher("sha256", key).update(ownerKeyId).digest());
  }
  return () => given;
}

/** Throws a ConfigFault for an invalid setting. */
export function videoOptions(settings: Settings, file: ReadConfig): VideoOptions {
  const { retention_days = 30, link_hours = 24 } = file.config.videos ?? {};
  givenWebhookKey(settings);
  return {
    retentionMs: retention_days * dayMs,
    linkLifeMs: link_hours * hourMs,
    publicUrl: publicUrlOf(settings, file),
    results: resultsOf(settings, file),
  };
}

export function videoKeys(settings: Settings, secret: Secret): VideoKeys {
  return { linkKey: deriveKey(secret, "video-links"), webhookKey: webhookKeys(settings, secret) };
}
