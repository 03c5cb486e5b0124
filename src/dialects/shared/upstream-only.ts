// The verbatim side of dialects that only servers speak.
import { GatewayError } from "../../canonical/error.ts";
import type { Passthrough } from "../dialect.ts";

export const noClient: Passthrough = {
  render() {
    throw new GatewayError("internal_error", "Clients cannot use this format.");
  },
};
