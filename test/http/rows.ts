// Every row of the table of endpoints, for tests that go through all of them.
import { adminResources, type ResourceDependencies } from "../../src/admin/resources/index.ts";
import { entrySchemas } from "../../src/config/schema.ts";
import { adminEndpoints } from "../../src/http/admin-endpoints.ts";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { type EndpointDependencies, endpoints } from "../../src/http/endpoints.ts";
import { exportEndpoint } from "../../src/http/export-endpoints.ts";
import { liveEndpoint } from "../../src/http/live-endpoints.ts";
import { metricsRow } from "../../src/http/metrics-endpoints.ts";
import { oidcEndpoints } from "../../src/http/oidc-endpoints.ts";
import { sessionEndpoints } from "../../src/http/session-endpoints.ts";
import { taskContentEndpoint } from "../../src/http/task-endpoints.ts";

/** The handlers are not called. Pages and files of the documentation are not part of the API. */
export const rows: readonly Endpoint[] = endpoints({} as EndpointDependencies).filter(
  ({ path }) => !path.startsWith("/docs/"),
);

/** What the OpenAPI document has besides. */
export const adminRows: readonly Endpoint[] = [
  ...sessionEndpoints(notCalled),
  ...oidcEndpoints(notCalled),
  liveEndpoint(notCalled),
  exportEndpoint(notCalled),
  taskContentEndpoint(notCalled),
  ...adminEndpoints(
    adminResources({ schemas: entrySchemas } as Partial<ResourceDependencies> as ResourceDependencies),
    notCalled,
  ),
  metricsRow(notCalled),
];

function notCalled(): never {
  throw new Error("no handler is called");
}
