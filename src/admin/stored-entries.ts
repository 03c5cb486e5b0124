// Stored catalog entries: secrets are encrypted, and can only be decrypted in the entry that they were written for.
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { type JsonObject, withoutUndefined } from "../lib/json.ts";
import { open, seal } from "../lib/secret.ts";
import type { CatalogEntry, CatalogKind } from "../store/catalog.ts";

const credentialShape = Type.Object({
  name: Type.String(),
  createdAtMs: Type.Integer(),
  sealed: Type.String(),
  weight: Type.Optional(Type.Number()),
  limits: Type.Optional(Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]))),
});

const bodyShape = Type.Object({
  config: Type.Record(Type.String(), Type.Unknown()),
  /** Values of headers, encrypted. */
  headers: Type.Optional(Type.String()),
  headerNames: Type.Optional(Type.Array(Type.String())),
  credentials: Type.Optional(Type.Array(credentialShape)),
  createdAtMs: Type.Integer(),
  updatedAtMs: Type.Integer(),
});

export type StoredCredential = Static<typeof credentialShape>;

export interface StoredEntry {
  /** As in the configuration file, without secrets. */
  readonly config: JsonObject;
  readonly headers?: string;
  readonly headerNames?: readonly string[];
  readonly credentials?: readonly StoredCredential[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const validator = Compile(bodyShape);

/** Throws if the row is invalid. */
export function readEntry({ kind, name, body }: CatalogEntry): StoredEntry {
  const value: unknown = JSON.parse(body ?? "null");
  if (!validator.Check(value))
    throw new Error(`The stored ${kind} '${name}' does not have the shape that it must have.`);
  return value as StoredEntry;
}

export const writeEntry = (entry: StoredEntry): string => JSON.stringify(entry);

/** Encrypts values for one path of one entry. */
export interface Sealer {
  seal(kind: CatalogKind, name: string, place: string, value: JsonObject): string;
  /** Throws if it was encrypted with another secret, or for another path. */
  open(kind: CatalogKind, name: string, place: string, sealed: string): JsonObject;
}

export function createSealer(key: Uint8Array): Sealer {
  const context = (kind: CatalogKind, name: string, place: string): string => `catalog|${kind}|${name}|${place}`;
  return {
    seal: (kind, name, place, value) => seal(key, JSON.stringify(value), context(kind, name, place)),
    open: (kind, name, place, sealed) =>
      JSON.parse(open(key, sealed, context(kind, name, place)).reveal()) as JsonObject,
  };
}

export const headersPlace = "headers";
export const credentialPlace = (name: string): string => `credential ${name}`;

/** The configuration of a provider with its secrets. */
export function openedProvider(name: string, entry: StoredEntry, sealer: Sealer): JsonObject {
  const credentials = (entry.credentials ?? []).map(({ name: own, sealed, weight, limits }): JsonObject => {
    const secrets = sealer.open("provider", name, credentialPlace(own), sealed);
    return { name: own, ...secrets, ...withoutUndefined({ weight, limits }) };
  });
  const [only, ...others] = credentials;
  const headers =
    entry.headers === undefined ? {} : { headers: sealer.open("provider", name, headersPlace, entry.headers) };
  if (others.length > 0 || only?.limits !== undefined) return { ...entry.config, ...headers, credentials };
  const { name: _name, weight: _weight, ...secrets } = only ?? {};
  return { ...entry.config, ...headers, ...secrets };
}
