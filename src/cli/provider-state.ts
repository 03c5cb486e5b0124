// `turnpike providers status` and `test`: the state of providers in the running gateway, and a call with each of their credentials.
import { readConfiguration } from "../config/configuration.ts";
import { readSettings, type Settings } from "../config/environment.ts";
import { systemClock } from "../lib/clock.ts";
import { parseJsonText } from "../lib/json.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { type CredentialTest, testCredentials } from "../providers/credential-test.ts";
import { createSend, readBounded } from "../providers/upstream.ts";
import { localAddress } from "./address.ts";
import { readServedEntries } from "./open-catalog.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { jsonText, table } from "./print.ts";

const timeoutMs = 10_000;
const maxPageBytes = 16 * 1024 * 1024;
const maxPages = 100;
const atOnce = 4;

/** The state of a credential or a model, as in the admin API. */
export interface ShownState {
  readonly state: string;
  readonly until: string | null;
  readonly requests: number;
  readonly error_rate: number | null;
  readonly last_error: { readonly code: string; readonly message: string; readonly at: string } | null;
}

interface ShownCredential extends ShownState {
  readonly credential: string | null;
  readonly models: readonly (ShownState & { readonly model: string })[];
}

export interface ShownProvider {
  readonly id: string;
  readonly health: readonly ShownCredential[];
}

/** Where the admin API of the gateway on this machine is. */
export const adminAddress = (settings: Settings): string => localAddress(settings.adminListener ?? settings);

async function readPage(url: string, adminKey: string): Promise<{ data: ShownProvider[]; next: string | null }> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { authorization: `Bearer ${adminKey}` };
  const response = await createSend()({ method: "GET", url, headers, signal });
  const bytes = await readBounded(response, maxPageBytes, signal);
  const body = Object(parseJsonText(new TextDecoder().decode(bytes ?? new Uint8Array())));
  if (response.status !== 200)
    throw new Error(`The gateway answered with status ${response.status}: ${body.error?.message ?? "no message"}`);
  return { data: body.data, next: body.next_cursor };
}

/** Every provider that the gateway on this machine serves, with its state. Throws if it does not answer. */
export async function readStates(settings: Settings, adminKey: string): Promise<readonly ShownProvider[]> {
  const found: ShownProvider[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < maxPages; page++) {
    const more: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { data, next } = await readPage(`${adminAddress(settings)}/admin/api/providers?limit=100${more}`, adminKey);
    found.push(...data);
    cursor = next;
    if (cursor === null) break;
  }
  return found;
}

const percent = (rate: number | null): string => (rate === null ? "" : `${(rate * 100).toFixed(1)} %`);

const stateCells = ({ state, until, requests, error_rate: rate, last_error: error }: ShownState): string[] => [
  ...[state, until ?? "", String(requests), percent(rate)],
  error === null ? "" : `${error.at} ${error.message}`,
];

/** A row for each credential, and for each of its models that is avoided or failed. */
const rowsOf = ({ id, health }: ShownProvider): string[][] =>
  health.flatMap((each) => [
    [id, each.credential ?? "", "", ...stateCells(each)],
    ...each.models
      .filter(({ state, last_error: error }) => state !== "available" || error !== null)
      .map((model) => [id, each.credential ?? "", model.model, ...stateCells(model)]),
  ]);

/** Throws for a name that none of them has. */
function named<Each>(all: readonly Each[], name: string | undefined, nameOf: (each: Each) => string): readonly Each[] {
  const found = name === undefined ? all : all.filter((each) => nameOf(each) === name);
  if (found.length === 0 && name !== undefined) throw new Error(`There is no provider '${name}'.`);
  return found;
}

async function showStatus(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { json: { type: "boolean" } } as const, 1);
  const settings = readSettings(process.env, process.cwd());
  if (settings.adminKey === null) throw new Error("The state is in the running gateway: set TURNPIKE_ADMIN_KEY.");
  const all = await readStates(settings, settings.adminKey);
  const shown = named(all, positionals[0], ({ id }) => id);
  if (values.json) return console.log(jsonText(shown.map(({ id, health }) => ({ provider: id, health }))));
  const head = ["provider", "credential", "model", "state", "until", "requests", "errors", "last error"];
  console.log(table([head, ...shown.flatMap(rowsOf)]));
}

const testCells = (provider: string, result: CredentialTest): string[] => [
  ...[provider, result.credential ?? "", result.ok ? "ok" : "failed", String(result.status ?? "")],
  ...[`${result.durationMs} ms`, String(result.models ?? ""), result.error?.message ?? ""],
];

async function testProviders(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { json: { type: "boolean" } } as const, 1);
  const settings = readSettings(process.env, process.cwd());
  const { catalog, notes } = await readServedEntries(settings, readConfiguration(settings), false);
  const remote = catalog.providers.filter(({ dispatch }) => dispatch.form === "http");
  const chosen = named(remote, positionals[0], ({ entry }) => entry.name);
  const results = await mapConcurrent(chosen, atOnce, async (provider) => ({
    provider: provider.entry.name,
    credentials: await testCredentials(provider, systemClock, timeoutMs),
  }));
  const isGood = results.every(({ credentials }) => credentials.every(({ ok }) => ok));
  process.exitCode = isGood ? 0 : 1;
  if (values.json) return console.log(jsonText(results));
  if (results.length === 0) return console.log(["There are no providers to test.", ...notes].join("\n"));
  const head = ["provider", "credential", "result", "status", "time", "models", "error"];
  const rows = results.flatMap(({ provider, credentials }) => credentials.map((each) => testCells(provider, each)));
  console.log([table([head, ...rows]), ...notes].join("\n"));
}

/** The subcommands of `turnpike providers` about the state of providers. */
export const providerStateCommands: Readonly<Record<string, Command>> = {
  status: {
    usage: "turnpike providers status [NAME]",
    summary: "the state of providers and credentials in the running gateway; needs TURNPIKE_ADMIN_KEY",
    options: { "--json": "print JSON" },
    run: showStatus,
  },
  test: {
    usage: "turnpike providers test [NAME]",
    summary: "request the model list of providers with each credential",
    options: { "--json": "print JSON" },
    run: testProviders,
  },
};
