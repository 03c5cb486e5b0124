// Models: who is asked for each and at what price; and the price books in effect.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../data/api.ts";
import { count, money } from "../data/format.ts";
import { useModels } from "../data/queries.ts";
import type { Model, PriceList, PriceRow } from "../data/types.ts";
import { useSearch } from "../data/url.ts";
import { fill, texts } from "../texts.ts";
import { Heading, Section } from "../ui/basics.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { Field } from "../ui/form.tsx";
import { Empty, Loaded, TooMuch } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { UrlTabs } from "../ui/tabs.tsx";

const words = texts.models;
const million = 1_000_000;
const maxShown = 200;

const usePrices = () =>
  useQuery({
    queryKey: ["prices"],
    queryFn: () => call<PriceList>("prices/effective", { body: {} }),
    staleTime: 600_000,
  });

/** Dollars for a million of what the row counts. */
const perMillion = ({ usd, per }: PriceRow): string =>
  usd === null ? "–" : money(String((Number(usd) / per) * million));

function indexOf(prices: PriceList | undefined): ReadonlyMap<string, PriceRow> {
  const rows = (prices?.rows ?? []).filter((row) => row.book === "cost" && row.tier === undefined);
  return new Map([...rows].reverse().map((row) => [`${row.model} ${row.of}`, row]));
}

function priceOf({ candidates }: Model, index: ReadonlyMap<string, PriceRow>): string {
  const model = candidates[0]?.model ?? "";
  const [input, output] = [index.get(`${model} inputTokens`), index.get(`${model} outputTokens`)];
  if (input === undefined && output === undefined) return "–";
  return [input, output].map((row) => (row === undefined ? "–" : perMillion(row))).join(" / ");
}

const waysOf = ({ candidates }: Model): string =>
  candidates.map(({ provider, model }) => `${provider}/${model}`).join(" → ");

function columnsOf(index: ReadonlyMap<string, PriceRow>): readonly Column<Model>[] {
  const { columns } = words;
  return [
    { id: "name", title: columns.name, value: ({ id }) => id, cell: ({ id }) => id },
    { id: "kind", title: columns.kind, value: ({ kind }) => kind, cell: ({ kind }) => words.kinds[kind] },
    {
      id: "candidates",
      title: columns.candidates,
      cell: (model) => <span title={waysOf(model)}>{waysOf(model)}</span>,
    },
    { id: "price", title: columns.price, isNumber: true, cell: (model) => priceOf(model, index) },
  ];
}

function Detail({ model, prices }: { readonly model: Model; readonly prices: PriceList | undefined }) {
  const names = new Set(model.candidates.map((each) => each.model));
  const rows = (prices?.rows ?? []).filter((row) => names.has(row.model));
  return (
    <>
      <Section title={words.route}>
        <ol className="list-decimal pl-6">
          {model.candidates.map(({ provider, model: name }) => (
            <li key={`${provider} ${name}`} className="break-all">
              {provider}/{name}
            </li>
          ))}
        </ol>
      </Section>
      <Section title={words.prices}>
        <PriceTable rows={rows} />
      </Section>
    </>
  );
}

const priceColumns: readonly Column<PriceRow>[] = [
  { id: "model", title: words.priceColumns.model, value: ({ model }) => model, cell: ({ model }) => model },
  { id: "book", title: words.priceColumns.book, value: ({ book }) => book, cell: ({ book }) => book },
  {
    id: "of",
    title: words.priceColumns.of,
    value: ({ of }) => of,
    cell: ({ of, tier }) => (tier === undefined ? of : `${of}, ${tier}`),
  },
  {
    id: "usd",
    title: words.priceColumns.usd,
    isNumber: true,
    cell: ({ usd, per, factor }) => (factor === null ? `${money(usd)} for ${count(per)}` : `cost × ${factor}`),
  },
  { id: "source", title: words.priceColumns.source, cell: ({ source }) => source ?? "–" },
];

const idOfPrice = (row: PriceRow): string =>
  JSON.stringify([row.book, row.provider, row.model, row.of, row.tier, row.usd, row.per, Object.values(row)]);

const PriceTable = ({ rows }: { readonly rows: readonly PriceRow[] }) =>
  rows.length === 0 ? (
    <Empty>{texts.common.none}</Empty>
  ) : (
    <Table name="prices" label={words.prices} columns={priceColumns} rows={rows} idOf={idOfPrice} />
  );

function Prices({ filter }: { readonly filter: string }) {
  const query = usePrices();
  return (
    <Loaded query={query}>
      {({ rows, cost_version: cost, price_version: price }) => {
        const found = rows.filter(({ model }) => model.toLowerCase().includes(filter));
        return (
          <>
            <p className="mb-2 text-muted">{fill(words.versions, { cost, price })}</p>
            <PriceTable rows={found.slice(0, maxShown)} />
            {found.length > maxShown ? (
              <TooMuch text={words.tooMuch} values={{ shown: maxShown, all: count(found.length) }} />
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

function List({ filter, open }: { readonly filter: string; readonly open: (id: string) => void }) {
  const query = useModels();
  const { data: prices } = usePrices();
  return (
    <Loaded query={query}>
      {(rows) => {
        const found = rows.filter(({ id }) => id.toLowerCase().includes(filter));
        if (found.length === 0) return <Empty>{words.empty}</Empty>;
        return (
          <>
            <Table
              name="models"
              label={words.list}
              columns={columnsOf(indexOf(prices))}
              rows={found.slice(0, maxShown)}
              idOf={({ id }) => id}
              open={({ id }) => open(id)}
            />
            {found.length > maxShown ? (
              <TooMuch text={words.tooMuch} values={{ shown: maxShown, all: count(found.length) }} />
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}

export default function Models() {
  const [search, change] = useSearch();
  const [text, setText] = useState("");
  const { data: models = [] } = useModels();
  const { data: prices } = usePrices();
  const filter = text.trim().toLowerCase();
  const open = models.find(({ id }) => id === search["open"]);
  return (
    <>
      <Heading title={words.title} />
      <div className="mb-3 max-w-80">
        <Field label={words.search} type="search" value={text} change={setText} />
      </div>
      <UrlTabs label={words.title} titles={words.tabs}>
        {(tab) =>
          tab === "prices" ? (
            <Prices filter={filter} />
          ) : (
            <List filter={filter} open={(id) => change({ open: id }, true)} />
          )
        }
      </UrlTabs>
      {open === undefined ? null : (
        <Drawer title={open.id} isOpen close={() => change({ open: undefined })}>
          <Detail model={open} prices={prices} />
        </Drawer>
      )}
    </>
  );
}
