// What a row of the table of clients is, and how the gateway's address and key are written in one.
import type { SettingsFile } from "./settings-file.ts";

/** What every client is given. */
export interface Connection {
  /** The gateway's address, without a path of a format. */
  readonly url: string;
  /** The client key; null where none was given, so that a reference or a placeholder is written. */
  readonly key: string | null;
  readonly model: string;
}

/** Where a user's files are. */
export interface Folders {
  readonly home: string;
  readonly working: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One row: a client, and how it is pointed to the gateway. */
export interface Client {
  readonly name: string;
  readonly title: string;
  /** Lines of a shell or a program. */
  readonly text?: (connection: Connection) => string;
  /** The files that the client reads. */
  readonly files?: (connection: Connection, folders: Folders) => readonly SettingsFile[];
  /** True where the settings name the variable TURNPIKE_KEY, so that they can be written without a key. */
  readonly readsKeyVariable?: true;
  /** What to do besides. */
  readonly note?: string;
}

const placeholder = "tp-your-key";

/** The key, or a text in its place. */
export const keyIn = ({ key }: Connection): string => key ?? placeholder;

/** The key where a shell replaces a variable. */
export const shellKey = ({ key }: Connection): string => key ?? "$TURNPIKE_KEY";

/** The address below which the paths of the most common format are. */
export const v1 = ({ url }: Connection): string => `${url}/v1`;

/** Lines of a shell that set variables. */
export const exported = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}="${value}"`)
    .join("\n");
