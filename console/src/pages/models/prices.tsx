// Prices: the entries with the day from which each applies, a form for a new one, the rows in effect, and repricing.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, listAll } from "../../data/api.ts";
import { filled } from "../../data/catalog.ts";
import { formRules } from "../../data/form-rules.ts";
import { count, money } from "../../data/format.ts";
import type { PriceEntry, PriceList, PriceRow } from "../../data/types.ts";
import { fill, texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button, Section, Source } from "../../ui/basics.tsx";
import { ConfirmName } from "../../ui/confirm.tsx";
import { Popup } from "../../ui/drawer.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { Empty, Loaded, TooMuch } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Repricing } from "./repricing.tsx";

const words = texts.models;
const maxShown = 200;

export const usePrices = () =>
  useQuery({
    queryKey: ["prices"],
    queryFn: () => call<PriceList>("prices/effective", { body: {} }),
    staleTime: 600_000,
  });

const useEntries = () => useQuery({ queryKey: ["price-entries"], queryFn: () => listAll<PriceEntry>("prices") });

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
  {
    id: "from",
    title: words.priceColumns.from,
    value: ({ valid_from: from }) => from ?? "",
    cell: ({ valid_from: from }) => from?.slice(0, 10) ?? words.always,
  },
  { id: "source", title: words.priceColumns.source, cell: ({ source }) => source ?? "–" },
];

const idOfPrice = (row: PriceRow): string => JSON.stringify(Object.entries(row));

/** The rows of the book that apply, or why there are none. */
export const PriceTable = ({ rows }: { readonly rows: readonly PriceRow[] }) =>
  rows.length === 0 ? (
    <Empty>{words.noPrices}</Empty>
  ) : (
    <Table name="prices" label={words.prices} columns={priceColumns} rows={rows} idOf={idOfPrice} />
  );

const priceText = ({ config }: PriceEntry): string => {
  const {
    usd = {},
    factor,
    per_request: request,
  } = config as {
    usd?: Record<string, string | number>;
    factor?: string | number;
    per_request?: string | number;
  };
  const amounts = Object.entries(usd).map(([name, amount]) => `${name.replaceAll("_", " ")} $${amount}`);
  return [
    ...(factor === undefined ? [] : [`cost × ${factor}`]),
    ...(request === undefined ? [] : [`$${request} per request`]),
    ...amounts,
  ].join(", ");
};

const modelOf = ({ config }: PriceEntry): string =>
  [config["model"], config["provider"]].filter((part) => part !== undefined).join(", ");
const fromOf = ({ config }: PriceEntry): string => String(config["valid_from"] ?? "");

function entryColumns(remove: (entry: PriceEntry) => Promise<void>): readonly Column<PriceEntry>[] {
  const { historyColumns: titles } = words;
  return [
    { id: "model", title: titles.model, value: modelOf, cell: modelOf },
    {
      id: "from",
      title: titles.from,
      value: fromOf,
      cell: (entry) => (fromOf(entry) === "" ? words.always : fromOf(entry)),
    },
    { id: "book", title: titles.book, value: ({ book }) => book, cell: ({ book }) => book },
    {
      id: "price",
      title: titles.price,
      cell: (entry) => <span title={priceText(entry)}>{priceText(entry)}</span>,
    },
    {
      id: "source",
      title: titles.source,
      cell: ({ source, file_line: line }) => <Source source={source} line={line} />,
    },
    {
      id: "action",
      title: titles.action,
      cell: (entry) =>
        entry.source === "api" ? (
          <ConfirmName
            label={texts.providers.remove}
            title={fill(words.removePrice, { model: modelOf(entry) })}
            note={fill(words.removePriceNow, { model: modelOf(entry) })}
            name={modelOf(entry)}
            field={words.confirmPrice}
            act={() => remove(entry)}
            look="quiet"
          />
        ) : null,
    },
  ];
}

/** Entries by model, the newest day first. */
const byModel = (one: PriceEntry, other: PriceEntry): number =>
  modelOf(one) === modelOf(other) ? (fromOf(one) < fromOf(other) ? 1 : -1) : modelOf(one) < modelOf(other) ? -1 : 1;

function History({ filter }: { readonly filter: string }) {
  const queries = useQueryClient();
  const query = useEntries();
  const remove = async ({ id, version }: PriceEntry) => {
    await call(`prices/${encodeURIComponent(id)}`, { method: "DELETE", ifMatch: version });
    await queries.invalidateQueries();
  };
  return (
    <Section title={words.history}>
      <p className="mb-1 text-muted">{words.historyNote}</p>
      <Loaded query={query} isEmpty={(rows) => rows.length === 0} empty={<Empty>{words.noHistory}</Empty>}>
        {(rows) => (
          <Table
            name="price-entries"
            label={words.history}
            columns={entryColumns(remove)}
            rows={rows.filter((entry) => modelOf(entry).toLowerCase().includes(filter)).sort(byModel)}
            idOf={({ id }) => id}
          />
        )}
      </Loaded>
    </Section>
  );
}

const noPrice = {
  book: "cost",
  model: "",
  provider: "",
  from: "",
  input: "",
  output: "",
  cache: "",
  request: "",
  factor: "",
};

/** Fields of amounts, by what the API calls them. */
const amounts = [
  ["input", "usd.input"],
  ["output", "usd.output"],
  ["cache", "usd.cache_read"],
  ["request", "usd.request"],
] as const;

function PriceForm({ close, model }: { readonly close: () => void; readonly model: string }) {
  const queries = useQueryClient();
  const [values, setValues] = useState({ ...noPrice, model });
  const set = (name: keyof typeof noPrice) => (value: string) => setValues({ ...values, [name]: value });
  const isPrice = values.book === "price";
  const submit = async () => {
    const usd = filled({ input: values.input, output: values.output, cache_read: values.cache });
    const hasUsd = Object.keys(usd).length > 0 || !isPrice;
    const own = isPrice ? filled({ factor: values.factor, per_request: values.request }) : {};
    const perRequest = isPrice ? {} : filled({ request: values.request });
    const config = {
      ...filled({ model: values.model, provider: values.provider, valid_from: values.from }),
      ...(hasUsd ? { usd: { ...usd, ...perRequest } } : {}),
      ...own,
    };
    await call("prices", { body: { book: values.book, config } });
    await queries.invalidateQueries();
    close();
  };
  const { priceForm: form } = words;
  return (
    <Form
      submit={submit}
      label={words.addPrice}
      cancel={close}
      fields={["config.model", "config.valid_from", "config.usd", "config.factor"]}
    >
      {(errorOf) => (
        <>
          <Field label={form.book} value={values.book} change={set("book")} options={Object.entries(form.books)} />
          <Field
            label={form.model}
            value={values.model}
            change={set("model")}
            hint={form.modelHint}
            error={errorOf("config.model")}
            rule={formRules.prices.model}
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <Field
              {...{ label: form.provider, value: values.provider, change: set("provider") }}
              rule={formRules.prices.provider}
            />
            <Field
              label={form.from}
              type="date"
              value={values.from}
              change={set("from")}
              error={errorOf("config.valid_from")}
            />
            {amounts.map(([name, param]) => (
              <Field
                key={name}
                {...{ label: form[name], value: values[name], change: set(name) }}
                rule={{ ...formRules.prices[param], description: texts.rules.amount }}
                error={name === "input" ? errorOf("config.usd") : undefined}
              />
            ))}
            {isPrice ? (
              <Field
                label={form.factor}
                value={values.factor}
                change={set("factor")}
                error={errorOf("config.factor")}
                rule={formRules.prices.factor}
              />
            ) : null}
          </div>
          <p className="text-muted">{form.fromHint}</p>
        </>
      )}
    </Form>
  );
}

export function Prices({ filter }: { readonly filter: string }) {
  const query = usePrices();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Allowed resource="prices" verb="create">
        <Button look="main" onClick={() => setOpen(true)}>
          {words.addPrice}
        </Button>
      </Allowed>
      <History filter={filter} />
      <Allowed resource="prices" verb="preview">
        <Repricing />
      </Allowed>
      <Section title={words.prices}>
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
      </Section>
      <Popup title={words.addPrice} isOpen={isOpen} close={() => setOpen(false)}>
        <PriceForm model="" close={() => setOpen(false)} />
      </Popup>
    </>
  );
}
