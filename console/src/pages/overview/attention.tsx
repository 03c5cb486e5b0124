// What needs attention, from usage, keys and the last failure; each line opens what it is about.
import { Link } from "@tanstack/react-router";
import { budgetsOf } from "../../data/budget.ts";
import { addMoney, money, percent, relative } from "../../data/format.ts";
import type { Key, RequestRow, UsageRow } from "../../data/types.ts";
import { type Search, shared } from "../../data/url.ts";
import { fill, texts } from "../../texts.ts";
import { Mark, Section, type Tone } from "../../ui/basics.tsx";
import { warningShare } from "../../ui/budget-bar.tsx";

const words = texts.overview;

export interface Notice {
  readonly id: string;
  readonly tone: Tone;
  readonly subject: string;
  readonly text: string;
  readonly to: string;
  readonly search: Search;
}

const failingShare = 0.05;
const soonMs = 7 * 86_400_000;

interface Sources {
  readonly keys: readonly Key[];
  readonly monthUsage: readonly UsageRow[];
  readonly byProvider: readonly UsageRow[];
  readonly byModel: readonly UsageRow[];
  readonly failure: RequestRow | null;
}

function ofKeys({ keys, monthUsage }: Sources): readonly Notice[] {
  return keys
    .filter(({ state }) => state === "active")
    .flatMap((key) => {
      const about = { id: key.id, subject: key.name, to: "/keys", search: { open: key.id } };
      const budgets = budgetsOf(key, monthUsage)
        .filter(({ share }) => share >= warningShare)
        .map(({ budget, share, spentAt }): Notice => {
          const values = {
            share: percent(share, 1),
            amount: money(budget.amount),
            period: texts.keys.periods[budget.period],
          };
          const end = spentAt === null || share >= 1 ? "" : `, spent ${relative(spentAt)}`;
          return {
            ...about,
            id: `${key.id} ${budget.period}`,
            tone: share >= 1 ? "failing" : "warning",
            text: fill(words.spent, values) + end,
          };
        });
      const ends = key.expires_at !== null && Date.parse(key.expires_at) - Date.now() < soonMs;
      if (!ends) return budgets;
      return [
        ...budgets,
        { ...about, tone: "warning" as const, text: fill(words.expiring, { when: relative(key.expires_at ?? "") }) },
      ];
    });
}

function ofProviders({ byProvider }: Sources): readonly Notice[] {
  return byProvider
    .filter(({ provider, errors, requests }) => provider !== null && errors / Math.max(1, requests) >= failingShare)
    .map(({ provider, errors, requests }) => ({
      id: `provider ${provider}`,
      tone: "failing",
      subject: provider ?? "",
      text: fill(words.failing, { share: percent(errors, requests), requests }),
      to: "/requests",
      search: { provider: provider ?? "", state: "failed" },
    }));
}

function ofModels({ byModel }: Sources): readonly Notice[] {
  return byModel.flatMap(({ model, unpriced, price, cost }) => {
    const about = { subject: model ?? "", to: "/models", search: { open: model ?? "" } };
    const loss = cost === null || cost === undefined || price === null ? 0 : Number(cost) - Number(price);
    const missing: readonly Notice[] =
      unpriced === 0
        ? []
        : [{ ...about, id: `price ${model}`, tone: "warning", text: fill(words.unpriced, { count: unpriced }) }];
    if (loss <= 0) return missing;
    const amount = money(addMoney([cost, `-${price}`]));
    return [
      ...missing,
      { ...about, id: `loss ${model}`, tone: "warning" as const, text: fill(words.below, { amount }) },
    ];
  });
}

function ofFailure({ failure }: Sources): readonly Notice[] {
  if (failure === null) return [];
  const reason = [failure.status, failure.error_code].filter((part) => part !== null).join(" ");
  return [
    {
      id: "failure",
      tone: "failing",
      subject: words.lastFailure,
      text: `${failure.model}: ${reason}, ${relative(failure.created_at)}`,
      to: "/requests",
      search: { open: failure.id },
    },
  ];
}

export const noticesOf = (sources: Sources): readonly Notice[] => [
  ...ofProviders(sources),
  ...ofKeys(sources),
  ...ofModels(sources),
  ...ofFailure(sources),
];

export function Attention({ notices }: { readonly notices: readonly Notice[] }) {
  return (
    <Section title={words.attention}>
      {notices.length === 0 ? (
        <Mark tone="ok">{words.calm}</Mark>
      ) : (
        <ul className="divide-y divide-line border-line border-y">
          {notices.map(({ id, tone, subject, text, to, search }) => (
            <li key={id}>
              <Link
                to={to}
                search={((before: Search) => ({ ...shared(before), ...search })) as never}
                className="flex min-h-8 flex-wrap items-center gap-x-3 px-1 hover:bg-sunken"
              >
                <Mark tone={tone}>
                  <span className="font-medium text-text">{subject}</span>
                </Mark>
                <span>{text}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
