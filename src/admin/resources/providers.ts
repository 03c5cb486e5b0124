// Providers. Credentials are stored encrypted and never returned.
import { type Static, type TObject, Type } from "typebox";
import { GatewayError } from "../../canonical/error.ts";
import { type JsonObject, withoutUndefined } from "../../lib/json.ts";
import type { CredentialTest } from "../../providers/credential-test.ts";
import { closed, integer, isoTime, nullable, shortText, text } from "../fields.ts";
import type { LiveCatalog } from "../live-catalog.ts";
import { type Action, type AdminContext, create, type Resource, update } from "../resource.ts";
import {
  credentialPlace,
  headersPlace,
  type Sealer,
  type StoredCredential,
  type StoredEntry,
} from "../stored-entries.ts";
import {
  changeEntry,
  createEntry,
  deleteEntry,
  type EntryKind,
  entryMembers,
  readingVerbs,
} from "./catalog-entries.ts";
import {
  healthMembers,
  healthSchema,
  limitUseMembers,
  limitUseSchema,
  type ProviderStates,
} from "./provider-health.ts";

export interface ProviderDependencies {
  readonly catalog: () => LiveCatalog;
  readonly sealer: Sealer;
  /** The schema of an entry in the configuration file. */
  readonly schema: TObject;
  /** Makes one call to the provider with this name, with each of its credentials or with the one of this name. */
  test(name: string, credential: string | undefined): Promise<readonly CredentialTest[]>;
  readonly states: ProviderStates;
}

/** Secret members of the file's entry, which are sent as credentials here. */
const secretMembers = ["credential", "service_account", "access_key_id", "secret_access_key", "session_token"] as const;

const secret = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 20_000, description }));

const credential = Type.Object(
  {
    name: shortText("A name that no other credential of this provider has."),
    credential: secret("API key."),
    service_account: secret("`vertex`: service account key, as JSON."),
    access_key_id: secret("Access key ID."),
    secret_access_key: secret("Secret access key."),
    session_token: secret("Session token of a temporary key."),
    weight: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1_000_000, description: "Its share of the requests. Default 1." }),
    ),
    limits: Type.Optional(Type.Record(Type.String(), Type.Union([Type.Integer(), Type.String()]))),
  },
  closed,
);

type Credential = Static<typeof credential>;

/** `schema` of an entry in the file: a credential has the same limits as a provider. */
const credentialsOf = ({ properties: { limits = Type.Unknown() } }: TObject) =>
  Type.Array(Type.Object({ ...credential.properties, limits: limits as typeof credential.properties.limits }, closed), {
    maxItems: 20,
    description:
      "Requests are spread over them by weight. In a change, a credential without a secret keeps its own, and one that is left out is deleted.",
  });

const headers = Type.Record(Type.String({ pattern: "^[A-Za-z0-9-]{1,100}$" }), Type.String({ maxLength: 5_000 }), {
  description: "Headers to send with every request. Their values are not returned.",
});

const id = Type.String({
  pattern: "^[A-Za-z0-9][\\w.-]{0,99}$",
  description:
    "The name, as in `name/model`: up to 100 letters, digits or . _ -, of which the first is a letter or digit.",
});

const object = Type.Object({
  object: Type.Literal("provider"),
  ...entryMembers,
  config: Type.Object({}, { description: "As in `providers.<name>` of the configuration file, without secrets." }),
  credentials: Type.Array(
    Type.Object({
      name: text("Name."),
      created_at: text("When it was stored."),
      weight: Type.Optional(Type.Number({ description: "Its share of the requests." })),
      limits: Type.Optional(Type.Object({}, { description: "Its own limits." })),
    }),
  ),
  header_names: Type.Array(text("Name of a header.")),
  health: healthSchema,
  limit_use: limitUseSchema,
});

const testError = nullable(Type.Object({ code: text("Code."), message: text("Message, without credentials.") }));

const proof = Type.Object({
  object: Type.Literal("provider_test"),
  ok: Type.Boolean({ description: "True where the provider accepted every credential." }),
  models: nullable(integer("Models that it listed; null where it has no list.")),
  duration_ms: integer("Duration of the longest call."),
  error: testError,
  credentials: Type.Array(
    Type.Object({
      credential: nullable(text("Name of the credential; null where the provider has only one.")),
      ok: Type.Boolean({ description: "True where the provider accepted it." }),
      status: nullable(integer("Status that the provider returned; null without an answer.")),
      models: nullable(integer("Models that it listed.")),
      duration_ms: integer("Duration of the call."),
      error: testError,
    }),
  ),
});

/** The file's schema without secrets. */
function configSchema({ properties }: TObject): TObject {
  const hidden: readonly string[] = [...secretMembers, "credentials", "headers"];
  const open = Object.entries(properties).filter(([name]) => !hidden.includes(name));
  return Type.Object(Object.fromEntries(open), { ...closed, description: "As in the configuration file." });
}

function invalid(param: string, problem: string): GatewayError {
  return new GatewayError("invalid_value", `Invalid '${param}': ${problem}.`, { param });
}

/** A change without secrets in a credential keeps the stored ones. */
function sealedCredentials(
  name: string,
  given: readonly Credential[],
  { before = [], nowMs, sealer }: { before?: readonly StoredCredential[] | undefined; nowMs: number; sealer: Sealer },
): StoredCredential[] {
  if (new Set(given.map((each) => each.name)).size < given.length) throw invalid("credentials", "two have one name");
  return given.map(({ name: own, weight, limits, ...secrets }, at) => {
    const known = before.find((each) => each.name === own);
    const settings = withoutUndefined({ weight, limits });
    if (Object.keys(secrets).length === 0) {
      if (known !== undefined) return { ...known, ...settings };
      throw invalid(`credentials[${at}]`, "it has no secret");
    }
    // A path would let API clients read files of this machine.
    if (secrets.service_account?.trimStart().startsWith("{") === false)
      throw invalid(`credentials[${at}].service_account`, "it must be JSON");
    return {
      name: own,
      ...settings,
      createdAtMs: nowMs,
      sealed: sealer.seal("provider", name, credentialPlace(own), secrets),
    };
  });
}

function checkConfig(config: JsonObject | undefined): void {
  const { proxy } = config ?? {};
  if (typeof proxy === "string" && URL.parse(proxy)?.username) throw invalid("config.proxy", "it has a user name");
}

const membersWith =
  (states: ProviderStates): EntryKind["members"] =>
  (name, { config, credentials: stored = [], headerNames = [] }) => ({
    config,
    credentials: stored.map(({ name: own, createdAtMs, weight, limits }) => ({
      ...{ name: own, created_at: isoTime(createdAtMs) },
      ...withoutUndefined({ weight, limits }),
    })),
    header_names: [...headerNames],
    health: healthMembers(states, name),
    limit_use: limitUseMembers(states, name),
  });

const testMembers = ({ credential: name, durationMs, error, ...rest }: CredentialTest): JsonObject => ({
  credential: name,
  ...rest,
  duration_ms: durationMs,
  error: error === null ? null : { ...error },
});

function testAction({ test }: Pick<ProviderDependencies, "test">): Action {
  return {
    summary: "Makes one call to the provider with each of its credentials, and reports whether it accepts them.",
    scope: "object",
    effect: "outside",
    body: Type.Object({ credential: Type.Optional(shortText("Only with this credential.")) }, closed),
    reply: proof,
    async run(_context, name, { credential: only }) {
      const results = await test(name, only === undefined ? undefined : String(only));
      const failed = results.find(({ ok }) => !ok);
      return {
        object: "provider_test",
        ok: failed === undefined,
        models: results.find(({ models }) => models !== null)?.models ?? null,
        duration_ms: Math.max(0, ...results.map(({ durationMs }) => durationMs)),
        error: failed === undefined || failed.error === null ? null : { ...failed.error },
        credentials: results.map(testMembers),
      };
    },
  };
}

export function providers(dependencies: ProviderDependencies): Resource {
  const { catalog, sealer } = dependencies;
  const kind: EntryKind = { kind: "provider", title: "provider", catalog, members: membersWith(dependencies.states) };
  const changeable = {
    config: configSchema(dependencies.schema),
    credentials: Type.Optional(credentialsOf(dependencies.schema)),
    headers: Type.Optional(headers),
  };
  const sealedHeaders = (name: string, given: Record<string, string> | undefined): Partial<StoredEntry> =>
    given === undefined
      ? {}
      : { headers: sealer.seal("provider", name, headersPlace, given), headerNames: Object.keys(given) };
  return {
    ...{ name: "providers", title: "provider", object, unaudited: ["health", "limit_use"] },
    ...readingVerbs(kind),
    create: create(Type.Object({ id, ...changeable }, closed), async (context, body) => {
      const { nowMs } = context;
      const config = body.config as JsonObject;
      checkConfig(config);
      const sealed = sealedCredentials(body.id, body.credentials ?? [], { nowMs, sealer });
      const entry = { config, ...sealedHeaders(body.id, body.headers), credentials: sealed };
      return createEntry(kind, context, body.id, { ...entry, createdAtMs: nowMs, updatedAtMs: nowMs });
    }),
    update: update(
      Type.Object({ ...changeable, config: Type.Optional(changeable.config) }, closed),
      (context, name, body) =>
        changeEntry(kind, context, name, ({ config: oldConfig, credentials: before }) => {
          const config = body.config === undefined ? oldConfig : (body.config as JsonObject);
          checkConfig(config);
          const given = { before, nowMs: context.nowMs, sealer };
          const sealed = body.credentials === undefined ? before : sealedCredentials(name, body.credentials, given);
          return {
            config,
            ...sealedHeaders(name, body.headers),
            ...(sealed === undefined ? {} : { credentials: sealed }),
          };
        }),
    ),
    delete: { run: (context: AdminContext, name) => deleteEntry(kind, context, name) },
    committed: () => catalog().refresh(),
    actions: { test: testAction(dependencies) },
  };
}
