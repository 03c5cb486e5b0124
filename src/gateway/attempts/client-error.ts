// The only redaction of errors: an error about a candidate for the client, without credentials and with the client's
// name of the model.
import type { GatewayError } from "../../canonical/error.ts";
import { safeError } from "../../providers/redaction.ts";
import type { Candidate } from "../routing/catalog.ts";
import { inClientsName } from "../routing/model-names.ts";

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
