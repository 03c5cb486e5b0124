// Settings of the process, and the limits of its configuration, without secrets.
import { Type } from "typebox";
import { closed, integer, nullable, text } from "../fields.ts";
import { list, type Resource } from "../resource.ts";
import { pageById } from "./catalog-entries.ts";

export interface SettingEntry {
  /** An environment variable, or the path of a field of the configuration file. */
  readonly id: string;
  readonly value: string | number | boolean | null;
  readonly source: "default" | "file" | "environment";
  readonly variable: string | null;
  readonly file: string | null;
  readonly file_line: number | null;
}

const object = Type.Object({
  object: Type.Literal("setting"),
  id: text("A variable, or the path of a field of the configuration file."),
  value: nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  source: Type.Enum(["default", "file", "environment"], { description: "Where it is defined, and changed." }),
  variable: nullable(text("The environment variable that defines it.")),
  file: nullable(text("The name of the configuration file that defines it.")),
  file_line: nullable(integer("Its line in that file; null for what the gateway reports about the file.")),
});

export function settings(entries: () => readonly SettingEntry[]): Resource {
  const all = () => entries().map((entry) => ({ object: "setting", ...entry }));
  return {
    ...{ name: "settings", title: "setting", object },
    list: list(Type.Object({}, closed), [""], async (_context, { limit, after }) =>
      pageById(all(), limit, after?.[0] as string | undefined),
    ),
    get: async (_context, id) => all().find((entry) => entry.id === id),
  };
}
