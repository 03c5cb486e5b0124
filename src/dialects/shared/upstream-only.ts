// The verbatim side of dialects that only servers speak.
import { GatewayError } from "../../canonical/error.ts";
import type { VerbatimSide } from "../dialect.ts";

export const noClient: VerbatimSide = {
  call() {
    throw new GatewayError("internal_error", "No client speaks this dialect to the gateway.");
  },
};
