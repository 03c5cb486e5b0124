// A client of one format: how it submits and asks, and what it must read in every state, by name and type.
import type { Shape } from "../shape.ts";

export interface Facts {
  id: string;
  /** As the client named it. */
  model: string;
  seconds: number;
  failure: { code: string; message: RegExp };
}

export interface ClientRequest {
  method: string;
  path: string;
  body?: unknown;
}

/** The states that formats have words for; `stale` is a video that is gone at the provider. */
export type Result = "queued" | "running" | "completed" | "stale" | "failed" | "expired" | "unknown";

export interface Client {
  name: string;
  /** Whether it sends an image. */
  hasImage: boolean;
  submit(model: string, prompt: string): ClientRequest;
  idOf(body: Record<string, unknown>): string;
  question(id: string): ClientRequest;
  accepted(facts: Facts): Shape;
  resultOf(word: Result, facts: Facts): Shape;
  /** Where a finished video is, as this format tells it. */
  linkIn(body: Record<string, unknown>): unknown;
  readonly linkNeedsKey?: true;
  /** Status of the answer to a question for what is not there. */
  unknownStatus: number;
}

/** The member at a path such as `data.video_url`; undefined where there is none. */
export function memberAt(body: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], body);
}

/** The envelope of errors: four fields, none of them missing. */
export const envelope = (code: string, param: string | null = null): Shape => ({
  message: (value: unknown) => typeof value === "string" && value !== "",
  type: "invalid_request_error",
  param,
  code,
});

/** How a failure is numbered in the plain format. */
export const numberOf = ({ failure: { code } }: Facts): number =>
  code === "content_policy_violation" || code === "moderation_blocked" ? 400 : code === "task_timeout" ? 504 : 500;
