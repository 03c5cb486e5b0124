// The forms that make keys, and the secrets that are shown once.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import type { Key, Project, Rules } from "../../data/types.ts";
import { texts } from "../../texts.ts";
import { Code } from "../../ui/basics.tsx";
import { Field, Form } from "../../ui/form.tsx";

const words = texts.keys;

export interface Made {
  readonly name: string;
  readonly secret: string;
}

export interface RuleValues {
  readonly budget: string;
  readonly period: string;
  readonly rpm: string;
  readonly models: string;
}

export const noRules: RuleValues = { budget: "", period: "month", rpm: "", models: "" };

/** What a form can edit of the rules; the rest stays as it is. */
export function valuesOf({ budgets = [], limits = {}, allowed_models: models = [] }: Rules): RuleValues {
  const [first] = budgets;
  const rpm = limits["requests_per_minute"];
  return {
    budget: first?.amount ?? "",
    period: first?.period ?? "month",
    rpm: rpm === undefined ? "" : String(rpm),
    models: models.join(", "),
  };
}

export function rulesOf({ budget, period, rpm, models }: RuleValues, before: Rules = {}): Rules {
  const { budgets = [], limits = {}, allowed_models: _, ...rest } = before;
  const { requests_per_minute: __, ...otherLimits } = limits;
  const names = models
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  const first = budget === "" ? [] : [{ amount: budget, period: period as "month" }];
  const bounds = { ...otherLimits, ...(rpm === "" ? {} : { requests_per_minute: Number(rpm) }) };
  const all = [...first, ...budgets.slice(1)];
  return {
    ...rest,
    ...(all.length === 0 ? {} : { budgets: all }),
    ...(Object.keys(bounds).length === 0 ? {} : { limits: bounds }),
    ...(names.length === 0 ? {} : { allowed_models: names }),
  };
}

interface RuleFieldsProps {
  readonly values: RuleValues;
  readonly change: (values: RuleValues) => void;
  readonly errorOf: (param: string) => string | undefined;
}

export function RuleFields({ values, change, errorOf }: RuleFieldsProps) {
  const set = (name: keyof RuleValues) => (value: string) => change({ ...values, [name]: value });
  const periods = Object.entries(words.periods);
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label={words.form.budget}
          value={values.budget}
          change={set("budget")}
          error={errorOf("rules.budgets")}
          placeholder="50.00"
        />
        <Field label={words.form.period} value={values.period} change={set("period")} options={periods} />
      </div>
      <Field
        label={words.form.rpm}
        type="number"
        value={values.rpm}
        change={set("rpm")}
        error={errorOf("rules.limits")}
      />
      <Field
        label={words.form.models}
        value={values.models}
        change={set("models")}
        hint={words.form.modelsHint}
        error={errorOf("rules.allowed_models")}
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
          <Field label={words.form.name} value={name} change={setName} error={errorOf("name")} isRequired />
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
          <Field label={words.form.names} rows={5} value={names} change={setNames} error={errorOf("keys")} isRequired />
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

export function Secrets({ secrets }: { readonly secrets: readonly Made[] }) {
  const [only] = secrets;
  const text =
    secrets.length === 1 ? (only?.secret ?? "") : secrets.map(({ name, secret }) => `${name}\t${secret}`).join("\n");
  return (
    <>
      <p className="mb-2">{words.secretNote}</p>
      <Code label={words.secretTitle}>{text}</Code>
    </>
  );
}
