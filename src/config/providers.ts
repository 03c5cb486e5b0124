// Providers and routes from the configuration: the entries of the file, and those that variables configure.
import type { CompatibilityFlags } from "../dialects/dialect.ts";
import type { Catalog } from "../gateway/routing/catalog.ts";
import { parseDecimal } from "../lib/decimal.ts";
import { withoutUndefined } from "../lib/json.ts";
import { Secret } from "../lib/secret.ts";
import { type Account, secretsOf } from "../providers/credentials.ts";
import { httpProvider } from "../providers/http-provider.ts";
import { findKind, isCompatible, providerKinds } from "../providers/index.ts";
import type { HttpEntry, HttpKind, Provider, ProviderLimits } from "../providers/provider.ts";
import { sandboxProvider } from "../providers/sandbox/index.ts";
import { createSend } from "../providers/upstream.ts";
import { accountFields } from "./account-fields.ts";
import { ConfigFault } from "./faults.ts";
import type { ReadConfig } from "./file.ts";
import { declaredModel, rowFault } from "./model-capabilities.ts";
import { accountMembers, hasSecret, isFault, readAccount, textsOfFile, textsOfVariables } from "./provider-accounts.ts";
import { tlsFromFile } from "./provider-tls.ts";
import { buildRoutes } from "./routes.ts";
import type { ProviderConfig } from "./schema.ts";
import { didYouMean } from "./suggest.ts";

function checkedUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" ? url : null;
}

const unknownField = ({ name }: HttpKind): string => `unknown field for provider kind '${name}'`;

/** The account of an entry; fields that do not apply to its kind are faults. */
function accountFromFile(
  place: readonly string[],
  kind: HttpKind,
  config: ProviderConfig,
  credential: Secret | null,
  file: ReadConfig,
): Account {
  const texts = textsOfFile(config);
  const stray = accountMembers.find(
    (member) => texts[member] !== undefined && kind.account?.members[member] === undefined,
  );
  if (stray !== undefined) throw file.fault([...place, accountFields[stray]], unknownField(kind));
  const account = readAccount(kind.account, texts, credential, file.files);
  if (!isFault(account)) return account;
  const field = account.member === "credential" ? account.member : accountFields[account.member];
  throw file.fault([...place, field], account.problem);
}

const switches = { splits_thinking: "splitsThinking", replays_thinking: "replaysThinking" } as const;

/** Options of a server, only for kinds with OpenAI's chat completions. */
function optionsFromFile(
  place: readonly string[],
  kind: HttpKind,
  config: ProviderConfig,
  file: ReadConfig,
): CompatibilityFlags {
  const given = Object.entries(switches).flatMap(([field, option]) => {
    const value = config[field as keyof typeof switches];
    return value === undefined ? [] : [{ field, option, value }];
  });
  const [stray] = isCompatible(kind) ? [] : given;
  if (stray !== undefined) throw file.fault([...place, stray.field], unknownField(kind));
  return Object.fromEntries(given.map(({ option, value }) => [option, value]));
}

function declaredModels(
  place: readonly string[],
  { model_capabilities: rows }: ProviderConfig,
  file: ReadConfig,
): Pick<HttpEntry, "declared"> {
  if (rows === undefined) return {};
  for (const [index, row] of rows.entries()) {
    const fault = rowFault(row);
    if (fault !== null) throw file.fault([...place, "model_capabilities", String(index), fault.field], fault.problem);
  }
  return { declared: rows.map(declaredModel) };
}

const nanoDigits = 9;

function limitsOf(given: NonNullable<ProviderConfig["limits"]>): ProviderLimits {
  const costPerDay = given.cost_per_day === undefined ? null : parseDecimal(given.cost_per_day, nanoDigits);
  return withoutUndefined({
    requestsPerMinute: given.requests_per_minute,
    tokensPerMinute: given.tokens_per_minute,
    concurrentRequests: given.concurrent_requests,
    costPerDay: costPerDay ?? undefined,
  });
}

/** Members of an account from which its URL can be built. */
function addressMembers({ account }: HttpKind): (keyof Account)[] {
  return account?.baseUrl === undefined ? [] : accountMembers.filter((member) => account.members[member] !== undefined);
}

const second = 1_000;

const probeOf = ({ interval_seconds: seconds = 30, model }: NonNullable<ProviderConfig["probe"]>) => ({
  intervalMs: seconds * second,
  ...(model === undefined ? {} : { model }),
});

function fromFile(name: string, config: ProviderConfig, file: ReadConfig): HttpEntry {
  const place = ["providers", name];
  const kind = findKind(config.kind);
  if (kind === undefined) {
    const kinds = providerKinds.map((known) => known.name);
    const suggestion = didYouMean(config.kind, kinds) || `. Use one of: ${kinds.join(", ")}`;
    throw file.fault([...place, "kind"], `unknown provider kind '${config.kind}'${suggestion}`);
  }
  if (name === sandboxProvider.entry.name || name.includes("/"))
    throw file.fault(place, `the name '${name}' is reserved or contains a slash`);
  const credential = config.credential ? new Secret(config.credential) : null;
  const account = accountFromFile(place, kind, config, credential, file);
  const baseUrl = config.base_url ?? kind.account?.baseUrl?.(account) ?? kind.baseUrl;
  if (baseUrl === undefined) {
    const fields = ["base_url", ...addressMembers(kind).map((member) => accountFields[member])];
    throw file.fault(place, `missing required field '${fields.join("' or '")}'`);
  }
  if (checkedUrl(baseUrl) === null)
    throw file.fault([...place, "base_url"], "must be an http or https URL without a user name");
  return {
    name,
    kind,
    baseUrl,
    credential,
    account,
    models: config.models ?? null,
    ...(config.tags === undefined ? {} : { tags: config.tags }),
    ...(config.voices === undefined ? {} : { voices: config.voices }),
    ...(config.probe === undefined ? {} : { probe: probeOf(config.probe) }),
    ...(config.limits === undefined ? {} : { limits: limitsOf(config.limits) }),
    ...declaredModels(place, config, file),
    ...(config.trace_context === true ? { forwardsTrace: true } : {}),
    ...(config.disabled === true ? { isDisabled: true } : {}),
    headers: config.headers ?? {},
    options: optionsFromFile(place, kind, config, file),
    timeouts: withoutUndefined({
      connectMs: config.connect_timeout_ms,
      wholeMs: config.timeout_ms,
      firstByteMs: config.first_byte_timeout_ms,
      idleMs: config.idle_timeout_ms,
    }),
    ...(config.proxy === undefined ? {} : { proxy: config.proxy }),
    ...tlsFromFile(place, config, baseUrl, file),
  };
}

/**
 * Variables of only this kind configure it, or stop the start. Those shared with other programs, such as the keys of a
 * cloud, configure it when they are complete.
 */
function fromEnvironment(kind: HttpKind, { environment, files }: ReadConfig): HttpEntry[] {
  const names = kind.environment;
  if (names === undefined) return [];
  const key = names.credential === undefined ? undefined : environment[names.credential]?.trim();
  const texts = kind.account === undefined ? {} : textsOfVariables(kind.account, environment);
  if (!key && !hasSecret(texts)) return [];
  const credential = key ? new Secret(key) : null;
  const account = readAccount(kind.account, texts, credential, files);
  if (isFault(account)) {
    if (!key) return [];
    throw new ConfigFault(`${names.credential} is set, but ${account.problem}.`);
  }
  const baseUrl = environment[names.baseUrl]?.trim() || kind.account?.baseUrl?.(account) || kind.baseUrl;
  const others = addressMembers(kind).flatMap((member) => kind.account?.members[member] ?? []);
  if (baseUrl === undefined && others.length > 0)
    throw new ConfigFault(`${names.credential} is set, but not ${[...others, names.baseUrl].join(" or ")}.`);
  if (baseUrl === undefined || checkedUrl(baseUrl) === null)
    throw new ConfigFault(`${names.baseUrl} must be an http or https URL without a user name.`);
  const entry = { name: kind.name, kind, baseUrl, models: null, headers: {}, timeouts: {} };
  return [{ ...entry, credential, account }];
}

/** An entry for each credential, which differ in nothing else. */
function entriesFromFile(name: string, { credentials, ...config }: ProviderConfig, file: ReadConfig): HttpEntry[] {
  if (credentials === undefined) return [fromFile(name, config, file)];
  const place = ["providers", name, "credentials"];
  const isOwn = (field: string): boolean => field === "name" || field === "limits";
  const both = Object.keys(credentials[0] ?? {}).find((field) => !isOwn(field) && Object.hasOwn(config, field));
  if (both !== undefined) throw file.fault(["providers", name, both], "cannot be set together with 'credentials'");
  return credentials.map(({ name: own, weight, limits, ...secrets }, index) => {
    if (credentials.findIndex((each) => each.name === own) < index)
      throw file.fault([...place, String(index), "name"], `'${own}' is the name of another credential`);
    const entry = fromFile(name, { ...config, ...secrets }, file);
    const credentialLimits = limits && limitsOf(limits);
    return { ...entry, credentialName: own, ...withoutUndefined({ credentialWeight: weight, credentialLimits }) };
  });
}

/** Returns the provider for an unchanged configuration, so that it keeps its state. */
export type ProviderCache = (configuration: string, make: () => Provider) => Provider;
const noCache: ProviderCache = (_, make) => make();

/** Everything that a provider is made of, secrets and the contents of files too. */
function identityOf(
  { name, credentialName, kind, baseUrl, credential, account, tls }: HttpEntry,
  config: unknown,
): string {
  const { serviceAccount } = account ?? {};
  const secrets = [credential?.reveal(), serviceAccount?.reveal(), ...secretsOf(account)];
  return JSON.stringify([name, credentialName, kind.name, baseUrl, config, account, secrets, tls]);
}

/** The provider under its first credential, with the same under the others. */
function underFirst(each: readonly [string, Provider][], cache: ProviderCache): Provider[] {
  const [first, ...others] = each.map(([, provider]) => provider);
  if (first === undefined || others.length === 0) return first === undefined ? [] : [first];
  return [cache(each.map(([identity]) => identity).join("\n"), () => ({ ...first, others }))];
}

/**
 * Builds a catalog. A name in the file takes precedence over the same name from a variable; the sandbox is always the
 * last provider. Faults are collected in `file.faults`.
 */
export function buildCatalog(file: ReadConfig, cache: ProviderCache = noCache): Catalog {
  const { faults } = file;
  const attempted = <T>(check: () => T): T[] => {
    const result = faults.attempt(check);
    return result === undefined ? [] : [result];
  };
  const declared = Object.entries(file.config.providers ?? {}).flatMap(([name, config]) =>
    attempted(() => entriesFromFile(name, config, file)),
  );
  const taken = new Set(file.providerNames);
  const implied = providerKinds
    .flatMap((kind) => attempted(() => fromEnvironment(kind, file)).flat())
    .filter((entry) => !taken.has(entry.name))
    .map((entry) => [entry]);
  const send = createSend();
  const made = [...declared, ...implied].flatMap((entries) => {
    const each = entries.map((entry): [string, Provider] => {
      const identity = identityOf(entry, file.config.providers?.[entry.name]);
      return [identity, cache(identity, () => httpProvider(entry, { send }))];
    });
    return underFirst(each, cache);
  });
  const providers = [...made, sandboxProvider];
  return { version: 1, providers, ...buildRoutes(file, providers) };
}
