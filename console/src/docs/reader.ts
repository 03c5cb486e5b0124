// The reader's keys and the OpenAPI document: in memory, or until the tab is closed if the reader wishes it.
import { createContext, useContext } from "react";
import { base } from "../data/gateway.ts";
import type { Spec } from "./spec.ts";
import { texts } from "./texts.ts";

const stored = "turnpike.docs.key";

export interface Reader {
  readonly spec: Spec | null;
  readonly key: string;
  /** For operations of the admin API. */
  readonly adminKey: string;
  setAdminKey(key: string): void;
  /** Fails with a text for the reader. */
  open(key: string, isStored: boolean): Promise<void>;
  forget(): void;
}

export const ReaderContext = createContext<Reader | null>(null);

export function useReader(): Reader {
  const reader = useContext(ReaderContext);
  if (reader === null) throw new Error("There is no reader.");
  return reader;
}

/** The OpenAPI document as the holder of this key gets it. */
export async function fetchSpec(key: string): Promise<Spec> {
  const headers = key === "" ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${base}/openapi.json`, { headers }).catch(() => null);
  if (response === null) throw new Error(texts.failed);
  if (response.status === 401 || response.status === 403) throw new Error(texts.wrongKey);
  if (!response.ok) throw new Error(texts.failed);
  return (await response.json()) as Spec;
}

export function storeKey(key: string | null): void {
  if (key === null) sessionStorage.removeItem(stored);
  else sessionStorage.setItem(stored, key);
}

/** On a listener for management the document needs no key. */
const isOpen = document.documentElement.dataset["key"] === "none";

/** The key of the address, which is removed from it, or the one of this tab; empty where none is needed. */
export function initialKey(): string | null {
  const address = new URL(location.href);
  const given = address.searchParams.get("key");
  if (given === null) return isOpen ? "" : sessionStorage.getItem(stored);
  address.searchParams.delete("key");
  history.replaceState(null, "", address);
  return given;
}
