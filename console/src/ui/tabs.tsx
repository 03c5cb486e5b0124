// Tabs whose choice is in the URL. The first one has no parameter.
import * as Tabs from "@radix-ui/react-tabs";
import type { ReactNode } from "react";
import { useSearch } from "../data/url.ts";

interface UrlTabsProps {
  readonly label: string;
  readonly titles: Readonly<Record<string, string>>;
  readonly children: (tab: string) => ReactNode;
}

export function UrlTabs({ label, titles, children }: UrlTabsProps) {
  const [search, change] = useSearch();
  const names = Object.keys(titles);
  const tab = names.find((name) => name === search["tab"]) ?? names[0] ?? "";
  const look = "min-h-8 border-b-2 border-transparent px-2 data-[state=active]:border-accent";
  return (
    <Tabs.Root value={tab} onValueChange={(value) => change({ tab: value === names[0] ? undefined : value }, true)}>
      <Tabs.List aria-label={label} className="mb-3 flex gap-2 border-line border-b">
        {Object.entries(titles).map(([value, title]) => (
          <Tabs.Trigger key={value} value={value} className={look}>
            {title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      <Tabs.Content value={tab}>{children(tab)}</Tabs.Content>
    </Tabs.Root>
  );
}
