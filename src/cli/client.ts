// The contract of a row of the client table, and how the gateway's URL and key are written in one.
import { keyPlaceholder } from "../admin/resources/clients.ts";
import type { SettingsFile } from "./settings-file.ts";

/** The settings of every client. */
export interface Connection {
  /** The gateway's URL, without the path of an API. */
  readonly url: string;
  /** The client key; null if none was given, so that a variable or a placeholder is written. */
  readonly key: string | null;
  readonly model: string;
}

/** The folders of the user's files. */
export interface Folders {
  readonly home: string;
  readonly working: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One row: a client, and how it is configured. */
export interface Client {
  readonly name: string;
  readonly title: string;
  /** Lines for a shell or a program. */
  readonly text?: (connection: Connection) => string;
  /** The files that the client reads. */
  readonly files?: (connection: Connection, folders: Folders) => readonly SettingsFile[];
  /** True where the settings refer to the variable TURNPIKE_KEY, so that they can be written without a key. */
  readonly readsKeyVariable?: true;
  /** Additional instructions. */
  readonly note?: string;
}

/** The key, or a placeholder. */
export const keyIn = ({ key }: Connection): string => key ?? keyPlaceholder;

/** The key, or the variable for a shell to expand. */
export const shellKey = ({ key }: Connection): string => key ?? "$TURNPIKE_KEY";

/** The base URL of OpenAI's API. */
export const v1 = ({ url }: Connection): string => `${url}/v1`;

/** Lines of a shell that set variables. */
export const exported = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}="${value}"`)
    .join("\n");
