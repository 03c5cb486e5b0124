// The only redaction of errors: an error about a candidate for the client, without credentials and with the client's
// name of the model.
import type { GatewayError } from "../../canonical/error.ts";
import { safeError } from "../../providers/redaction.ts";
import type { Candidate } from "../routing/catalog.ts";
import { inClientsName } from "../routing/model-names.ts";

export function clientError(thrown: unknown, { provider, model }: Candidate, requestedModel: string): GatewayError {
  return inClientsName(safeError(thrown, provider), model, requestedModel);
}
