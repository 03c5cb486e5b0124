// `turnpike connect`: prints or writes the settings with which a client uses this gateway.
import { homedir } from "node:os";
import { readSettings, type Settings } from "../config/environment.ts";
import { readConfigFile } from "../config/file.ts";
import type { ConfigFile } from "../config/schema.ts";
import { didYouMean } from "../config/suggest.ts";
import { localAddress } from "./address.ts";
import type { Client, Connection, Folders } from "./client.ts";
import { clients } from "./clients.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText, table } from "./print.ts";
import { newSettingsText, type SettingsFile } from "./settings-file.ts";
import { undoSettings, writeSettings } from "./write-settings.ts";

/** The URL at which clients reach the gateway. */
function addressOf(settings: Settings, config: ConfigFile): string {
  return settings.publicUrl ?? config.public_url ?? localAddress(settings);
}

/** Always available, and answers every operation. */
const trialModel = "sandbox/chat";

interface Words {
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  readonly url?: string | undefined;
  readonly file?: string | undefined;
}

function connectionOf(settings: Settings, { key, model, url }: Words): Connection {
  const { config } = readConfigFile(settings);
  if (url !== undefined && !/^https?:\/\/[^/\s]+/.test(url))
    throw new UsageError("--url must be an http or https URL.");
  return {
    url: (url ?? addressOf(settings, config)).replace(/\/+$/, ""),
    key: key ?? null,
    model: model ?? Object.keys(config.models ?? {})[0] ?? trialModel,
  };
}

function findClient(name: string): Client {
  const found = clients.find((client) => client.name === name);
  if (found !== undefined) return found;
  const names = clients.map((client) => client.name);
  throw new UsageError(`Unknown client '${name}'${didYouMean(name, names) || `. Use one of: ${names.join(", ")}.`}`);
}

function filesOf(client: Client, connection: Connection, folders: Folders, file: string | undefined): SettingsFile[] {
  const files = client.files?.(connection, folders) ?? [];
  if (file === undefined) return [...files];
  const [only, ...others] = files;
  if (only === undefined || others.length > 0) throw new UsageError(`--file cannot be used with ${client.title}.`);
  return [{ ...only, path: file }];
}

function printed(client: Client, connection: Connection, files: readonly SettingsFile[]): string {
  const blocks = files.map((file) => `# ${file.path}\n${newSettingsText(file).trimEnd()}`);
  const text = client.text?.(connection);
  const note = client.note === undefined ? [] : [`# ${client.note}`];
  return [...(text === undefined ? [] : [text]), ...blocks, ...note].join("\n\n");
}

function requireFiles({ title }: Client, files: readonly SettingsFile[]): void {
  if (files.length === 0) throw new UsageError(`${title} has no settings file. Without --write the lines are printed.`);
}

function writeAll(client: Client, connection: Connection, files: readonly SettingsFile[]): string[] {
  requireFiles(client, files);
  if (connection.key === null && client.readsKeyVariable !== true) {
    const create = `turnpike keys create --name ${client.name}`;
    throw new UsageError(`Missing --key: ${client.title} reads the key from its file. Create one with '${create}'.`);
  }
  for (const file of files) writeSettings(file);
  const undo = `Undo with 'turnpike connect ${client.name} --undo'.`;
  return [...files.map(({ path }) => `Written: ${path}`), undo, ...(client.note === undefined ? [] : [client.note])];
}

const undoWords = {
  restored: "Restored",
  removed: "Changed since, so only these settings were taken back",
  nothing: "Nothing to undo",
} as const;

function undoAll(client: Client, files: readonly SettingsFile[]): string[] {
  requireFiles(client, files);
  return files.map((file) => `${undoWords[undoSettings(file)]}: ${file.path}`);
}

function listClients(asJson: boolean): string {
  const rows = clients.map(({ name, title, files }) => ({ name, title, writes: files !== undefined }));
  if (asJson) return jsonText(rows);
  const cells = rows.map(({ name, title, writes }) => [name, title, writes ? "yes" : ""]);
  return table([["client", "name", "--write"], ...cells]);
}

const options = {
  key: { type: "string" },
  model: { type: "string" },
  url: { type: "string" },
  file: { type: "string" },
  write: { type: "boolean" },
  undo: { type: "boolean" },
  json: { type: "boolean" },
} as const;

function jsonOf(client: Client, connection: Connection, files: readonly SettingsFile[]): string {
  const { name, title, note = null } = client;
  const texts = files.map((file) => ({ path: file.path, format: file.format, text: newSettingsText(file) }));
  return jsonText({ client: name, title, ...connection, text: client.text?.(connection) ?? null, files: texts, note });
}

function connect(words: readonly string[]): string {
  const { values, positionals } = parseCommonFields(words, options, 1);
  const [name] = positionals;
  if (name === undefined) return listClients(values.json === true);
  if (values.write && values.undo) throw new UsageError("Use --write or --undo, not both.");
  const client = findClient(name);
  const connection = connectionOf(readSettings(process.env, process.cwd()), values);
  const folders = { home: homedir(), working: process.cwd(), environment: process.env };
  const files = filesOf(client, connection, folders, values.file);
  if (values.write) return writeAll(client, connection, files).join("\n");
  if (values.undo) return undoAll(client, files).join("\n");
  return values.json ? jsonOf(client, connection, files) : printed(client, connection, files);
}

export const connectCommand: Command = {
  usage: "turnpike connect [CLIENT]",
  summary: "print or write the settings with which a client uses the gateway",
  options: {
    "--key KEY": "client key to write; default: a reference to TURNPIKE_KEY, or a placeholder",
    "--model MODEL": "model to use; default: the first one of `models` in the file",
    "--url URL": "address of the gateway; default: TURNPIKE_PUBLIC_URL, or HOST and PORT",
    "--file PATH": "settings file, if it is not where the client usually has it",
    "--write": "write into the client's settings file; everything else in it stays",
    "--undo": "take the settings out again",
    "--json": "print JSON",
  },
  choices: clients.map(({ name }) => name),
  run: (words) => console.log(connect(words)),
};
