// The only redaction of errors: an error about a candidate for the client, without credentials and with the client's
// name of the model.
import { changed, type GatewayError } from "../../canonical/error.ts";
import { safeError } from "../../providers/redaction.ts";
import type { Candidate } from "../routing/catalog.ts";

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The message with `own` replaced by `requested`, also if a version follows it or a path precedes it. */
function renamedModel(message: string, own: string, requested: string): string {
  if (own === requested || own === "" || !message.includes(own)) return message;
  const name = new RegExp(`(?<![\\w.-])(?:[\\w.-]+/)*${escaped(own)}(?:[-.:@][\\w-]+)*(?![\\w])`, "g");
  return message.replace(name, () => requested);
}

/** The error with the client's name of the model in its message. */
function inClientsName(error: GatewayError, own: string, requested: string): GatewayError {
  const message = renamedModel(error.message, own, requested);
  return message === error.message ? error : changed(error, { message });
}

export function clientError(thrown: unknown, { provider, model }: Candidate, requestedModel: string): GatewayError {
  return inClientsName(safeError(thrown, provider), model, requestedModel);
}

/** The same for the error of a whole request; unchanged where no candidate was reached. */
export function clientErrorOf(
  error: GatewayError | null,
  servedBy: { readonly candidate: Candidate; readonly requestedModel: string } | null,
): GatewayError | null {
  if (error === null || servedBy === null) return error;
  return clientError(error, servedBy.candidate, servedBy.requestedModel);
}
