// The forms that make keys, and the secrets that are shown once.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { formRules } from "../../data/form-rules.ts";
import type { Key, Project, Rules } from "../../data/types.ts";
import { useSearch } from "../../data/url.ts";
import { texts } from "../../texts.ts";
import { Button, Code } from "../../ui/basics.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { connectWith } from "./connect.tsx";

const words = texts.keys;
const allowed = formRules.keys;

export interface Made {
  readonly name: string;
  readonly secret: string;
}

export interface RuleValues {
  readonly budget: string;
  readonly period: string;
  readonly rpm: string;
  readonly tpm: string;
  readonly concurrency: string;
  readonly models: string;
  readonly providers: string;
}

export const noRules: RuleValues = {
  budget: "",
  period: "month",
  rpm: "",
  tpm: "",
  concurrency: "",
  models: "",
  providers: "",
};

/** Fields of `limits`, by their names in the form. */
const limitNames = {
  rpm: "requests_per_minute",
  tpm: "tokens_per_minute",
  concurrency: "concurrent_requests",
} as const;

/** Without an amount there is no budget. */
const budgetRule = { ...allowed["rules.budgets.amount"], isRequired: false };

/** A name on each line. */
const namesRule = { ...allowed.name, isList: true, separator: "\n" };

const listOf = (text: string): readonly string[] =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** What a form can edit of the rules; the rest stays as it is. */
export function valuesOf({ budgets = [], limits = {}, ...rules }: Rules): RuleValues {
  const [first] = budgets;
  const limit = (name: string): string => (limits[name] === undefined ? "" : String(limits[name]));
  const providers = Array.isArray(rules["allowed_providers"]) ? rules["allowed_providers"] : [];
  return {
    budget: first?.amount ?? "",
    period: first?.period ?? "month",
    ...{ rpm: limit(limitNames.rpm), tpm: limit(limitNames.tpm), concurrency: limit(limitNames.concurrency) },
    models: (rules.allowed_models ?? []).join(", "),
    providers: providers.join(", "),
  };
}

export function rulesOf(values: RuleValues, before: Rules = {}): Rules {
  const { budgets = [], limits = {}, allowed_models: _, allowed_providers: __, ...rest } = before;
  const names = Object.entries(limitNames) as [keyof typeof limitNames, string][];
  const others = Object.entries(limits).filter(([name]) => !names.some(([, limit]) => limit === name));
  const given = names.flatMap(([field, limit]) =>
    values[field] === "" ? [] : [[limit, Number(values[field])] as const],
  );
  const bounds = Object.fromEntries([...others, ...given]);
  const first = values.budget === "" ? [] : [{ amount: values.budget, period: values.period as "month" }];
  const all = [...first, ...budgets.slice(1)];
  const [models, providers] = [listOf(values.models), listOf(values.providers)];
  return {
    ...rest,
    ...(all.length === 0 ? {} : { budgets: all }),
    ...(Object.keys(bounds).length === 0 ? {} : { limits: bounds }),
    ...(models.length === 0 ? {} : { allowed_models: models }),
    ...(providers.length === 0 ? {} : { allowed_providers: providers }),
  };
}

interface RuleFieldsProps {
  readonly values: RuleValues;
  readonly change: (values: RuleValues) => void;
  readonly errorOf: (param: string) => string | undefined;
  /** The member of the body that has the rules. */
  readonly at?: string;
}

export function RuleFields({ values, change, errorOf, at = "rules" }: RuleFieldsProps) {
  const set = (name: keyof RuleValues) => (value: string) => change({ ...values, [name]: value });
  const periods = allowed["rules.budgets.period"].enum.map((period) => [period, words.periods[period]] as const);
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label={words.form.budget}
          value={values.budget}
          change={set("budget")}
          error={errorOf(`${at}.budgets`)}
          placeholder="50.00"
          rule={budgetRule}
        />
        <Field label={words.form.period} value={values.period} change={set("period")} options={periods} />
      </div>
      <div className="grid grid-cols-3 gap-3 max-sm:grid-cols-1">
        {(Object.keys(limitNames) as (keyof typeof limitNames)[]).map((name) => (
          <Field
            key={name}
            label={words.form[name]}
            rule={allowed[`rules.limits.${limitNames[name]}`]}
            value={values[name]}
            change={set(name)}
            error={errorOf(`${at}.limits.${limitNames[name]}`)}
          />
        ))}
      </div>
      <Field
        label={words.form.models}
        value={values.models}
        change={set("models")}
        hint={words.form.modelsHint}
        rule={allowed["rules.allowed_models"]}
        error={errorOf(`${at}.allowed_models`)}
      />
      <Field
        label={words.form.providers}
        value={values.providers}
        change={set("providers")}
        hint={words.form.providersHint}
        rule={allowed["rules.allowed_providers"]}
        error={errorOf(`${at}.allowed_providers`)}
      />
    </>
  );
}

interface FormProps {
  readonly projects: readonly Project[];
  readonly done: (made: readonly Made[]) => void;
  readonly cancel: () => void;
}

const endOfDay = (day: string): string | undefined => (day === "" ? undefined : `${day}T23:59:59Z`);
const fields = ["name", "project_id", "expires_at", "rules", "keys"];

export function KeyForm({ projects, done, cancel }: FormProps) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [project, setProject] = useState("default");
  const [expires, setExpires] = useState("");
  const [rules, setRules] = useState(noRules);
  const submit = async () => {
    const body = { name: name.trim(), project_id: project, expires_at: endOfDay(expires), rules: rulesOf(rules) };
    const { secret } = await call<{ secret: string }>("keys", { body });
    await queries.invalidateQueries({ queryKey: ["keys"] });
    done([{ name: body.name, secret }]);
  };
  return (
    <Form submit={submit} label={words.create} cancel={cancel} fields={fields}>
      {(errorOf) => (
        <>
          <Field label={words.form.name} value={name} change={setName} error={errorOf("name")} rule={allowed.name} />
          <Field
            label={words.form.project}
            value={project}
            change={setProject}
            options={projects.map(({ id, name: title }) => [id, title] as const)}
            error={errorOf("project_id")}
          />
          <Field
            label={words.form.expires}
            type="date"
            value={expires}
            change={setExpires}
            error={errorOf("expires_at")}
          />
          <RuleFields values={rules} change={setRules} errorOf={errorOf} />
        </>
      )}
    </Form>
  );
}

export function BatchForm({ projects, done, cancel }: FormProps) {
  const queries = useQueryClient();
  const [names, setNames] = useState("");
  const [project, setProject] = useState("default");
  const [rules, setRules] = useState(noRules);
  const submit = async () => {
    const all = names
      .split("\n")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    const keys = all.map((name) => ({ name, project_id: project, rules: rulesOf(rules) }));
    const { data } = await call<{ data: readonly (Key & Made)[] }>("keys/batch", { body: { keys } });
    await queries.invalidateQueries({ queryKey: ["keys"] });
    done(data.map(({ name, secret }) => ({ name, secret })));
  };
  return (
    <Form submit={submit} label={words.create} cancel={cancel} fields={fields}>
      {(errorOf) => (
        <>
          <Field
            {...{ label: words.form.names, rows: 5, value: names, change: setNames }}
            rule={namesRule}
            error={errorOf("keys")}
          />
          <Field
            label={words.form.project}
            value={project}
            change={setProject}
            options={projects.map(({ id, name }) => [id, name] as const)}
          />
          <RuleFields values={rules} change={setRules} errorOf={errorOf} />
        </>
      )}
    </Form>
  );
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** A file with every name and secret. */
function download(secrets: readonly Made[]): void {
  const rows = secrets.map(({ name, secret }) => `${quoted(name)},${quoted(secret)}`);
  const url = URL.createObjectURL(new Blob([["name,secret", ...rows, ""].join("\n")], { type: "text/csv" }));
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: "turnpike-keys.csv" });
  link.click();
  URL.revokeObjectURL(url);
}

export function Secrets({ secrets }: { readonly secrets: readonly Made[] }) {
  const [, change] = useSearch();
  const [only] = secrets;
  const isOne = secrets.length === 1;
  const text = isOne ? (only?.secret ?? "") : secrets.map(({ name, secret }) => `${name}\t${secret}`).join("\n");
  return (
    <>
      <p className="mb-2">{words.secretNote}</p>
      <Code label={words.secretTitle}>{text}</Code>
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={() => download(secrets)}>{words.download}</Button>
        {isOne ? (
          <Button
            onClick={() => {
              connectWith(only?.secret ?? "");
              change({ connect: "1" }, true);
            }}
          >
            {texts.connect.title}
          </Button>
        ) : null}
      </div>
    </>
  );
}
