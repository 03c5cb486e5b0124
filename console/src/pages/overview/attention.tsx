// What needs attention, as the gateway finds it, and the last failure; each line opens what it is about.
import { Link } from "@tanstack/react-router";
import { relative } from "../../data/format.ts";
import { useAttention, useLastFailure } from "../../data/queries.ts";
import type { AttentionItem, RequestRow } from "../../data/types.ts";
import { type Search, shared } from "../../data/url.ts";
import { fill, texts } from "../../texts.ts";
import { Mark, Section } from "../../ui/basics.tsx";
import { Loaded } from "../../ui/states.tsx";

const words = texts.overview;

/** Where the object of an item is shown. */
function placeOf({ resource, object_id: id }: AttentionItem): readonly [to: string, search: Search] {
  const open = { open: id ?? undefined };
  if (resource === "keys") return ["/keys", open];
  if (resource === "projects") return ["/keys", { tab: "projects", ...open }];
  if (resource === "providers") return ["/providers", open];
  return resource === "settings" ? ["/settings", {}] : ["/models", open];
}

interface Line {
  readonly id: string;
  readonly tone: "failing" | "warning";
  readonly subject: string;
  readonly text: string;
  readonly place: readonly [to: string, search: Search];
}

const lineOf = (item: AttentionItem): Line => ({
  ...{ id: item.id, tone: item.severity, subject: item.name, place: placeOf(item) },
  text: `${item.message}${item.since === null ? "" : ` (${fill(words.since, { when: relative(item.since) })})`}`,
});

function failureLine(failure: RequestRow): Line {
  const reason = [failure.status, failure.error_code].filter((part) => part !== null).join(" ");
  return {
    ...{ id: "failure", tone: "failing", subject: words.lastFailure },
    text: `${failure.model}: ${reason}, ${relative(failure.created_at)}`,
    place: ["/requests", { open: failure.id }],
  };
}

export function Attention({ since, project }: { readonly since: string; readonly project: string | undefined }) {
  const query = useAttention();
  const { data: failure = null } = useLastFailure(since, project);
  return (
    <Section title={words.attention}>
      <Loaded query={query}>
        {(items) => {
          const lines = [...items.map(lineOf), ...(failure === null ? [] : [failureLine(failure)])];
          if (lines.length === 0) return <Mark tone="ok">{words.calm}</Mark>;
          return (
            <ul className="divide-y divide-line border-line border-y">
              {lines.map(({ id, tone, subject, text, place: [to, search] }) => (
                <li key={id}>
                  <Link
                    to={to}
                    search={((before: Search) => ({ ...shared(before), ...search })) as never}
                    className="flex min-h-8 flex-wrap items-center gap-x-3 px-1 hover:bg-sunken"
                  >
                    <Mark tone={tone}>
                      <span className="font-medium text-text">{subject}</span>
                    </Mark>
                    <span className="min-w-0 break-words">{text}</span>
                  </Link>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}
