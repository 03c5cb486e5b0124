// Every row of the table of endpoints, for tests that go through all of them.
import type { Endpoint } from "../../src/http/endpoint.ts";
import { type EndpointDependencies, endpoints } from "../../src/http/endpoints.ts";

/** The handlers are not called. */
export const rows: readonly Endpoint[] = endpoints({} as EndpointDependencies);
