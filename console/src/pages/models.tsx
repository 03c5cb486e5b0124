// Models: who is asked for each, at what price and how fast; routes are made here; and the price books.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../data/api.ts";
import { type CatalogEntry, type LiveProvider, useLiveProviders, useRoutes } from "../data/catalog.ts";
import { count, duration, money, nameOfModel } from "../data/format.ts";
import { useModels } from "../data/queries.ts";
import type { Model, PriceList, PriceRow } from "../data/types.ts";
import { useSearch } from "../data/url.ts";
import { texts } from "../texts.ts";
import { Allowed } from "../ui/allowed.tsx";
import { Button, Heading, Section, Source } from "../ui/basics.tsx";
import { ConfirmName } from "../ui/confirm.tsx";
import { Drawer, Popup } from "../ui/drawer.tsx";
import { Field } from "../ui/form.tsx";
import { Empty, Loaded, TooMuch } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { UrlTabs } from "../ui/tabs.tsx";
import { Explain } from "./models/explain.tsx";
import { Prices, PriceTable, usePrices } from "./models/prices.tsx";
import { RouteForm } from "./models/route-form.tsx";

const words = texts.models;
const million = 1_000_000;
const maxShown = 200;

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

/** The mean time of the first candidate that has one. */
function timeOf({ candidates }: Model, providers: readonly LiveProvider[]): number | null {
  const states = candidates.flatMap(({ provider, model }) =>
    (providers.find(({ id }) => id === provider)?.health ?? []).flatMap(({ models }) =>
      models.filter((each) => each.model === model),
    ),
  );
  return states.flatMap(({ first_token_ms: first, response_ms: whole }) => first ?? whole ?? [])[0] ?? null;
}

const waysOf = ({ candidates }: Model): string =>
  candidates.map(({ provider, model }) => nameOfModel(provider, model)).join(" → ");

function columnsOf(index: ReadonlyMap<string, PriceRow>, providers: readonly LiveProvider[]): readonly Column<Model>[] {
  const { columns } = words;
  return [
    { id: "name", title: columns.name, value: ({ id }) => id, cell: ({ id }) => id },
    { id: "kind", title: columns.kind, value: ({ kind }) => kind, cell: ({ kind }) => words.kinds[kind] },
    {
      id: "candidates",
      title: columns.candidates,
      cell: (model) => <span title={waysOf(model)}>{waysOf(model)}</span>,
    },
    {
      id: "time",
      title: columns.time,
      isNumber: true,
      value: (model) => timeOf(model, providers) ?? 0,
      cell: (model) => duration(timeOf(model, providers)),
    },
    { id: "price", title: columns.price, isNumber: true, cell: (model) => priceOf(model, index) },
  ];
}

function Delete({ route }: { readonly route: CatalogEntry }) {
  const queries = useQueryClient();
  const act = async () => {
    await call(`routes/${encodeURIComponent(route.id)}`, { method: "DELETE", ifMatch: route.version });
    await queries.invalidateQueries();
  };
  return (
    <ConfirmName
      {...{ label: words.removeRoute, title: `${words.removeRoute} ${route.id}`, note: words.removeNote }}
      {...{ name: route.id, field: words.confirmName, act }}
    />
  );
}

function RouteActions({ route }: { readonly route: CatalogEntry }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2">
        <Source source={route.source} line={route.file_line} />
        {route.source === "api" ? (
          <>
            <Allowed resource="routes" verb="update">
              <Button aria-expanded={isOpen} onClick={() => setOpen(true)}>
                {words.editRoute}
              </Button>
            </Allowed>
            <Allowed resource="routes" verb="delete">
              <Delete route={route} />
            </Allowed>
          </>
        ) : null}
      </div>
      {isOpen ? (
        <div className="mt-3 rounded-md border border-line p-3">
          <RouteForm route={route} close={() => setOpen(false)} />
        </div>
      ) : null}
    </div>
  );
}

function Detail({ model, prices }: { readonly model: Model; readonly prices: PriceList | undefined }) {
  const { data: routes = [] } = useRoutes();
  const route = routes.find(({ id }) => id === model.id);
  const names = new Set([model.id, ...model.candidates.map((each) => each.model)]);
  const rows = (prices?.rows ?? []).filter((row) => names.has(row.model));
  return (
    <>
      {route === undefined ? null : <RouteActions route={route} />}
      <Explain model={model.id} />
      <Section title={words.prices}>
        <PriceTable rows={rows} />
      </Section>
    </>
  );
}

function List({ filter, open }: { readonly filter: string; readonly open: (id: string) => void }) {
  const query = useModels();
  const { data: prices } = usePrices();
  const { data: providers = [] } = useLiveProviders();
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
              columns={columnsOf(indexOf(prices), providers)}
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
  const closeForm = () => change({ add: undefined });
  return (
    <>
      <Heading title={words.title}>
        <Allowed resource="routes" verb="create">
          <Button look="main" onClick={() => change({ add: "1" })}>
            {words.addRoute}
          </Button>
        </Allowed>
      </Heading>
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
      <Popup title={words.addRoute} isOpen={search["add"] !== undefined} close={closeForm}>
        <RouteForm close={closeForm} />
      </Popup>
      {open === undefined ? null : (
        <Drawer title={open.id} isOpen close={() => change({ open: undefined })}>
          <Detail model={open} prices={prices} />
        </Drawer>
      )}
    </>
  );
}
