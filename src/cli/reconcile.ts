// `turnpike reconcile`: compares derived data with the rows of the ledger, and a provider's invoice with the recorded
// costs.
import { readFileSync } from "node:fs";
import { readSettings } from "../config/environment.ts";
import { type InvoiceLine, reconcileIndex, reconcileInvoice } from "../gateway/ledger/reconcile.ts";
import { parseDecimal } from "../lib/decimal.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { dollars, jsonText, table } from "./print.ts";

const nanoDigits = 9;
const columns = ["date", "model", "tokens", "amount"] as const;

/** A CSV file with a header: `date,model,tokens,amount`, amounts in US dollars. Throws for an invalid line. */
function invoiceLines(path: string): InvoiceLine[] {
  const [head = "", ...lines] = readFileSync(path, "utf8")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const cellsOf = (line: string): string[] => line.split(",").map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const names = cellsOf(head).map((name) => name.toLowerCase());
  const missing = columns.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`The invoice ${path} has no column ${missing.join(", ")}.`);
  return lines.map((line, index) => {
    const cells = cellsOf(line);
    const cell = (name: (typeof columns)[number]): string => cells[names.indexOf(name)] ?? "";
    const day = cell("date").slice(0, 10);
    const nanoDollars = parseDecimal(cell("amount"), nanoDigits);
    const isRead = /^\d{4}-\d{2}-\d{2}$/.test(day) && /^\d{1,15}$/.test(cell("tokens")) && nanoDollars !== null;
    if (!isRead) throw new Error(`Line ${index + 2} of the invoice ${path} cannot be read.`);
    return { day, model: cell("model"), tokens: Number(cell("tokens")), nanoDollars };
  });
}

function reconcile(words: readonly string[]): void {
  const options = { invoice: { type: "string" }, provider: { type: "string" }, json: { type: "boolean" } } as const;
  const { values } = parseCommonFields(words, options);
  if ((values.invoice === undefined) !== (values.provider === undefined))
    throw new UsageError("--invoice and --provider are used together.");
  const { dataFolder } = readSettings(process.env, process.cwd());
  const sums = reconcileIndex(dataFolder);
  const { invoice, provider } = values;
  const parted =
    invoice === undefined || provider === undefined
      ? null
      : reconcileInvoice(dataFolder, provider, invoiceLines(invoice));
  if (values.json) {
    console.log(jsonText({ sums, ...(parted === null ? {} : { invoice: parted }) }));
    return;
  }
  const found = sums.map(({ group, figure, derived, rows }) => [
    ...[Object.values(group).join(" "), figure, String(derived ?? ""), String(rows ?? "")],
  ]);
  console.log(found.length === 0 ? "Sums: no difference." : table([["group", "figure", "derived", "rows"], ...found]));
  if (found.length > 0) console.log("usage.db is made again from the ledger.");
  if (parted === null) return;
  const lines = parted.map(({ day, model, invoiced, booked }) => [
    ...[day, model, String(invoiced.tokens), String(booked.tokens), dollars(invoiced.nanoDollars)],
    ...[dollars(booked.nanoDollars), dollars(invoiced.nanoDollars - booked.nanoDollars)],
  ]);
  const head = ["day", "model", "invoiced tokens", "booked tokens", "invoiced USD", "booked USD", "difference USD"];
  console.log(lines.length === 0 ? "Invoice: no difference." : table([head, ...lines]));
}

export const reconcileCommand: Command = {
  usage: "turnpike reconcile",
  summary: "check sums against the rows of the ledger, and an invoice against what was booked",
  options: {
    "--invoice FILE": "CSV with the columns date, model, tokens and amount in US dollars",
    "--provider NAME": "whose invoice it is",
    "--json": "print JSON",
  },
  run: reconcile,
};
