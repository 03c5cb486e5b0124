// Formats that only upstreams use.
import { GatewayError } from "../../canonical/error.ts";
import type { Passthrough } from "../dialect.ts";

/** For formats that are not yet told apart into halves. */
export const noClient: Passthrough = {
  render() {
    throw new GatewayError("internal_error", "Clients cannot use this format.");
  },
};
