// Repricing: what settled requests come to by the prices that apply now, and the button that books the differences.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { filled } from "../../data/catalog.ts";
import { formRules } from "../../data/form-rules.ts";
import { count } from "../../data/format.ts";
import { useKeyNames } from "../../data/queries.ts";
import { fill, texts } from "../../texts.ts";
import { Mark, Money, Section } from "../../ui/basics.tsx";
import { ConfirmName } from "../../ui/confirm.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const words = texts.models;

interface Sums {
  readonly requests: number;
  readonly changed: number;
  readonly booked_cost: string | null;
  readonly new_cost: string | null;
  readonly booked_price: string | null;
  readonly new_price: string | null;
}

interface Report {
  readonly repricing: number | null;
  readonly total: Sums;
  readonly groups: readonly (Sums & { readonly key_id: string; readonly model: string })[];
}

type Group = Report["groups"][number];

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<Group>[] {
  const { repriceColumns: titles } = words;
  const money = (id: string, title: string, of: (group: Group) => string | null): Column<Group> => ({
    ...{ id, title, isNumber: true },
    cell: (group) => <Money amount={of(group)} />,
  });
  return [
    { id: "model", title: titles.model, cell: ({ model }) => model },
    { id: "key", title: titles.key, cell: ({ key_id: id }) => names.get(id) ?? id },
    { id: "requests", title: titles.requests, isNumber: true, cell: ({ changed }) => count(changed) },
    money("before", titles.before, (group) => group.booked_price),
    money("after", titles.after, (group) => group.new_price),
    money("cost", titles.cost, (group) => group.booked_cost),
    money("new-cost", titles.newCost, (group) => group.new_cost),
  ];
}

function Result({ report, book }: { readonly report: Report; readonly book: () => Promise<void> }) {
  const names = useKeyNames();
  const { total, groups, repricing } = report;
  if (repricing !== null)
    return (
      <p role="status" className="mt-2">
        <Mark tone="ok">{fill(words.booked, { number: String(repricing) })}</Mark>
      </p>
    );
  if (total.changed === 0)
    return (
      <p role="status" className="mt-2 text-muted">
        {fill(words.noChange, { requests: count(total.requests) })}
      </p>
    );
  return (
    <div className="mt-2 flex flex-col items-start gap-2">
      <div className="w-full">
        <Table
          name="repricing"
          label={words.reprice}
          columns={columnsOf(names)}
          rows={[{ ...total, key_id: "", model: words.total }, ...groups]}
          idOf={({ key_id: key, model }) => `${key} ${model}`}
        />
      </div>
      <ConfirmName
        {...{ label: words.book, title: words.book, note: fill(words.bookNote, { count: count(total.changed) }) }}
        {...{ name: String(total.changed), field: words.confirmCount, act: book }}
      />
    </div>
  );
}

const week = 7 * 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function Repricing() {
  const queries = useQueryClient();
  const [values, setValues] = useState({ since: dayOf(Date.now() - week), until: "", model: "" });
  const [report, setReport] = useState<Report | null>(null);
  const set = (name: keyof typeof values) => (value: string) => {
    setValues({ ...values, [name]: value });
    setReport(null);
  };
  const ask = async (verb: "preview" | "reprice") => {
    setReport(await call<Report>(`prices/${verb}`, { body: filled(values) }));
    if (verb === "reprice") await queries.invalidateQueries();
  };
  return (
    <Section title={words.reprice}>
      <p className="mb-2 text-muted">{words.repriceNote}</p>
      <Form submit={() => ask("preview")} label={words.preview} fields={["since", "until", "model"]}>
        {(errorOf) => (
          <div className="grid gap-3 sm:grid-cols-3">
            <Field
              label={words.since}
              type="date"
              value={values.since}
              change={set("since")}
              error={errorOf("since")}
              isRequired
            />
            <Field
              label={words.until}
              type="date"
              value={values.until}
              change={set("until")}
              error={errorOf("until")}
            />
            <Field
              label={words.columns.name}
              value={values.model}
              change={set("model")}
              error={errorOf("model")}
              rule={formRules.repricing.model}
            />
          </div>
        )}
      </Form>
      {report === null ? null : <Result report={report} book={() => ask("reprice")} />}
    </Section>
  );
}
