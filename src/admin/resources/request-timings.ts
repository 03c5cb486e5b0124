// How the time of a request was spent, part by part.
import { Type } from "typebox";
import { type TimingPart, timingParts, timingsOf } from "../../canonical/timings.ts";
import type { JsonObject } from "../../lib/json.ts";
import { integer, nullable } from "../fields.ts";

const timingTexts: { readonly [part in TimingPart]: string } = {
  authentication: "From the arrival of the request until its key was verified.",
  body: "Until the client had sent the body.",
  parsing: "Until the body was parsed and validated.",
  queue: "Until its turn came, on a route where requests wait for their admission.",
  access: "Checks of what the caller may use.",
  routing: "Choice and order of the candidates.",
  limits: "Rate limits, concurrency, budgets and other reservations.",
  record: "Until the open row was written.",
  attempts: "Failed attempts and the waits between them, up to the attempt that answered.",
  wait: "From the start of that attempt to the first byte for the client, or to the whole reply.",
  stream: "From the first byte to the end of the stream.",
  settlement: "Usage and price, up to the settlement.",
};

const timingMembers = Object.fromEntries(
  timingParts.map((part) => [`${part}_us`, nullable(integer(timingTexts[part]))] as const),
);

export const timings = Type.Object(timingMembers, {
  description:
    "How `duration_ms` was spent, in microseconds: one part begins where the one before it ends, and is null if it was not reached. Null in lists, and where it was not measured.",
});

export function writtenTimings(stored: string | null): JsonObject | null {
  const found = timingsOf(stored);
  return found && Object.fromEntries(timingParts.map((part) => [`${part}_us`, found[part]]));
}
