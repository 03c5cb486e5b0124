// Saves the loaded requests as CSV or JSON.
import * as Menu from "@radix-ui/react-dropdown-menu";
import { Download } from "lucide-react";
import type { RequestRow } from "../../data/types.ts";
import { texts } from "../../texts.ts";

const words = texts.requests;

const columns: readonly (keyof RequestRow)[] = [
  ...(["id", "request_id", "created_at", "key_id", "project_id", "end_user", "operation", "format", "model"] as const),
  ...([
    "provider",
    "upstream_model",
    "state",
    "status",
    "error_code",
    "attempts",
    "duration_ms",
    "price",
    "cost",
  ] as const),
];

/** Text of clients that a spreadsheet would take for a formula is marked as text. */
function field(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csvOf = (rows: readonly RequestRow[]): string =>
  [columns.join(","), ...rows.map((row) => columns.map((name) => field(row[name])).join(","))].join("\n");

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

export function ExportMenu({ rows }: { readonly rows: readonly RequestRow[] }) {
  const item = "flex min-h-8 cursor-pointer items-center rounded px-2 data-highlighted:bg-sunken";
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        disabled={rows.length === 0}
        className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line px-2.5 hover:bg-sunken"
      >
        <Download size={14} aria-hidden />
        {words.export}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content align="end" className="z-40 rounded-md border border-line bg-panel p-1 shadow-lg">
          <Menu.Item className={item} onSelect={() => save("requests.csv", "text/csv", csvOf(rows))}>
            {words.csv}
          </Menu.Item>
          <Menu.Item
            className={item}
            onSelect={() => save("requests.json", "application/json", JSON.stringify(rows, null, 2))}
          >
            {words.json}
          </Menu.Item>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
