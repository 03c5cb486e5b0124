// Requests as the lines of a file: CSV for spreadsheets, or JSON.
import type { RequestRow } from "../gateway/ledger/columns.ts";
import type { JsonObject } from "../lib/json.ts";
import { type Principal, visible } from "./permissions.ts";
import { termMembers } from "./resources/request-terms.ts";
import { requestObject, writtenRow } from "./resources/requests.ts";

export const exportFormats = ["csv", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The text of a file around and between its rows. */
export interface ExportWriter {
  readonly head: string;
  readonly tail: string;
  readonly separator: string;
  row(row: RequestRow): string;
}

const single: readonly string[] = ["object", "attempt_list", "decisions", "timings", ...Object.keys(termMembers)];

/** `tokens.input` is the column `tokens_input`. */
function columnsFor(principal: Principal): readonly (readonly [string, string | null])[] {
  const { tokens, units, ...others } = requestObject.properties;
  const names = Object.keys(visible(principal, "requests", { ...others } as unknown as JsonObject));
  const nested = { tokens, units };
  return [
    ...names.filter((name) => !single.includes(name)).map((name) => [name, null] as const),
    ...Object.entries(nested).flatMap(([name, { properties }]) =>
      Object.keys(properties).map((member) => [name, member] as const),
    ),
  ];
}

const isFormula = /^[=+\-@\t\r]/;

/** Text of clients that a spreadsheet would take for a formula is marked as text (https://owasp.org/www-community/attacks/CSV_Injection). */
function field(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && isFormula.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvWriter(principal: Principal): ExportWriter {
  const columns = columnsFor(principal);
  const names = columns.map(([name, member]) => (member === null ? name : `${name}_${member}`));
  return {
    ...{ head: `${names.join(",")}\r\n`, tail: "", separator: "" },
    row(row) {
      const shown = visible(principal, "requests", writtenRow(row));
      const values = columns.map(([name, member]) =>
        field(member === null ? shown[name] : (Object(shown[name]) as JsonObject)[member]),
      );
      return `${values.join(",")}\r\n`;
    },
  };
}

const jsonWriter = (principal: Principal): ExportWriter => ({
  ...{ head: "[\n", tail: "\n]\n", separator: ",\n" },
  row: (row) => JSON.stringify(visible(principal, "requests", writtenRow(row))),
});

export const exportWriters: { readonly [format in ExportFormat]: (principal: Principal) => ExportWriter } = {
  csv: csvWriter,
  json: jsonWriter,
};
