// Links to the file of every request that matches the filters.
import * as Menu from "@radix-ui/react-dropdown-menu";
import { Download } from "lucide-react";
import { base, type Filters, queryOf } from "../../data/api.ts";
import { texts } from "../../texts.ts";

const words = texts.requests;
const formats = ["csv", "json"] as const;

export function ExportMenu({ filters }: { readonly filters: Filters }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line px-2.5 hover:bg-sunken">
        <Download size={14} aria-hidden />
        {words.export}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content align="end" className="z-40 rounded-md border border-line bg-panel p-1 shadow-lg">
          {formats.map((format) => (
            <Menu.Item key={format} asChild>
              <a
                className="flex min-h-8 cursor-pointer items-center rounded px-2 data-highlighted:bg-sunken"
                href={`${base}/admin/api/requests/export${queryOf({ ...filters, format })}`}
                download={`requests.${format}`}
              >
                {words[format]}
              </a>
            </Menu.Item>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
}
