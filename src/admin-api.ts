// Builds the admin API over the parts of a running gateway.
import { type AccessDependencies, createAdminAccess } from "./admin/access.ts";
import { createAdmin } from "./admin/admin.ts";
import { requireRole } from "./admin/permissions.ts";
import { adminResources } from "./admin/resources/index.ts";
import { adminSetting } from "./config/secrets.ts";
import { adminEndpoints } from "./http/admin-endpoints.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { type MetricsParts, metricsRow } from "./http/metrics-endpoints.ts";
import type { ReadLimits } from "./http/read.ts";
import { validate } from "./http/validate.ts";
import { systemClock } from "./lib/clock.ts";
import { readSetting } from "./store/settings.ts";
import type { Registry } from "./telemetry/registry.ts";

export interface AdminApiParts extends Pick<AccessDependencies, "store" | "pepper"> {
  readonly limits: ReadLimits;
  readonly registry: Registry;
}

/** The rows of the admin API, and `/metrics`. */
export function adminApi({ store, pepper, limits, registry }: AdminApiParts): readonly Endpoint[] {
  const admin = createAdmin({ store, clock: systemClock, validate });
  const adminKeyHash = () => readSetting(store, adminSetting);
  const access = createAdminAccess({ store, pepper, clock: systemClock, adminKeyHash });
  const mayReadMetrics: MetricsParts["mayReadMetrics"] = async (token, address) =>
    requireRole(await access.identify(token, address), "metrics:read");
  return [
    ...adminEndpoints(adminResources({ pepper }), () => ({ admin, access, limits })),
    metricsRow(() => ({ registry, mayReadMetrics })),
  ];
}
