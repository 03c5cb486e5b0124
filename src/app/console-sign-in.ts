// Signing in to the console: sessions, users and the OpenID provider, from the parts of a running gateway.
import { type AccessDependencies, type AdminAccess, createAdminAccess } from "../admin/access.ts";
import { createOidc } from "../admin/oidc.ts";
import { createOidcClient } from "../admin/oidc-client.ts";
import { createSessions } from "../admin/sessions.ts";
import { createUsers } from "../admin/users.ts";
import { sessionTimes } from "../config/console-settings.ts";
import { adminSetting } from "../config/secrets.ts";
import type { CallerParts } from "../http/admin-caller.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { oidcEndpoints } from "../http/oidc-endpoints.ts";
import type { ReadLimits } from "../http/read.ts";
import { sessionEndpoints } from "../http/session-endpoints.ts";
import { systemClock } from "../lib/clock.ts";
import { createSend } from "../providers/upstream.ts";
import { readSetting } from "../store/settings.ts";
import type { Events } from "../telemetry/events.ts";
import type { LiveConfiguration } from "./live-configuration.ts";

interface SignInParts extends Pick<AccessDependencies, "store" | "pepper"> {
  readonly limits: ReadLimits;
  readonly credentialKey: Uint8Array;
  readonly followed: Pick<LiveConfiguration, "current">;
  readonly events: Pick<Events, "backgroundTaskFailed">;
}

/** Who may use the admin API. */
export function accessOf({ store, pepper, followed }: SignInParts): AdminAccess {
  const times = () => sessionTimes(followed.current().configuration.file.config.console);
  const sessions = createSessions({ store, pepper, clock: systemClock, times });
  const users = createUsers(store, pepper, systemClock);
  const adminKeyHash = () => readSetting(store, adminSetting);
  return createAdminAccess({ store, pepper, clock: systemClock, sessions, users, adminKeyHash });
}

/** The rows at which a browser signs in and out. */
export function signInRows(parts: SignInParts, callers: CallerParts): readonly Endpoint[] {
  const { store, credentialKey: sealKey, followed, limits, events } = parts;
  const settings = () => followed.current().configuration.oidc;
  const client = createOidcClient(createSend(), systemClock);
  const oidc = createOidc(store, client, systemClock);
  const failed = (cause: unknown): void => events.backgroundTaskFailed("sign_in", cause);
  const provider = { client, oidc, sealKey, settings, nowMs: systemClock.nowMs, failed };
  return [
    ...sessionEndpoints(() => ({ ...callers, limits, provider: settings })),
    ...oidcEndpoints(() => ({ ...callers, ...provider })),
  ];
}
