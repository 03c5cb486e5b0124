// First steps, ticked by what the gateway has, until all are done or the list is hidden.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { listAll } from "../../data/api.ts";
import { remember, remembered } from "../../data/memory.ts";
import { useBudgets, useKeys, useProviders } from "../../data/queries.ts";
import { type Search, shared, useSearch } from "../../data/url.ts";
import { texts } from "../../texts.ts";
import { Button, Mark, Section } from "../../ui/basics.tsx";

const words = texts.overview;
const lookEveryMs = 5_000;
const hiddenName = "checklist.hidden";

export function Checklist() {
  const [search] = useSearch();
  const [isHidden, setHidden] = useState(() => remembered(hiddenName, false));
  const keys = useKeys();
  const providers = useProviders();
  const budgets = useBudgets();
  const requests = useQuery({
    queryKey: ["first-request"],
    queryFn: () => listAll("facets", { dimension: "operation" }, 1),
    refetchInterval: ({ state }) => (isHidden || (state.data?.length ?? 0) > 0 ? false : lookEveryMs),
  });
  const { steps } = words;
  if (isHidden || [keys, providers, budgets, requests].some(({ data }) => data === undefined)) return null;
  const all: readonly (readonly [string, boolean, string, Search])[] = [
    [steps.provider, providers.data?.some(({ source }) => source !== "built_in") === true, "/providers", { add: "1" }],
    [steps.key, (keys.data?.length ?? 0) > 0, "/keys", { form: "create" }],
    [steps.request, (requests.data?.length ?? 0) > 0, "/keys", { connect: "1" }],
    [steps.budget, (budgets.data?.length ?? 0) > 0, "/keys", {}],
  ];
  if (all.every(([, isDone]) => isDone)) return null;
  const hide = () => {
    remember(hiddenName, true);
    setHidden(true);
  };
  return (
    <Section
      title={words.checklist}
      aside={
        <Button look="quiet" onClick={hide}>
          {words.dismiss}
        </Button>
      }
    >
      <ul className="flex flex-col">
        {all.map(([title, isDone, to, own]) => (
          <li key={title} className="flex min-h-8 items-center gap-2">
            <Mark tone={isDone ? "ok" : "neutral"}>{isDone ? words.done : words.toDo}</Mark>
            <Link
              to={to}
              search={{ ...shared(search), ...own } as never}
              className="underline decoration-line underline-offset-2 hover:decoration-current"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
