// The form of a route: its candidates with tiers and weights, strategy, aliases and fallbacks.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import {
  type CatalogEntry,
  type Config,
  filled,
  namesIn,
  otherFields,
  readFields,
  useLiveProviders,
} from "../../data/catalog.ts";
import { formRules } from "../../data/form-rules.ts";
import { useModels } from "../../data/queries.ts";
import { fill, texts } from "../../texts.ts";
import { Button } from "../../ui/basics.tsx";
import { Field, Form } from "../../ui/form.tsx";

const words = texts.models;
const allowed = formRules.routes;

interface CandidateValues {
  readonly provider: string;
  readonly model: string;
  readonly tier: string;
  readonly weight: string;
  /** What the form does not show, such as `supports` and `route`. */
  readonly rest: Config;
}

interface Values {
  readonly id: string;
  readonly strategy: string;
  readonly candidates: readonly CandidateValues[];
  readonly aliases: string;
  readonly fallbacks: string;
  readonly after: string;
  readonly affinity: string;
  readonly repeats: string;
  readonly more: string;
}

interface RouteConfig {
  readonly strategy?: string;
  readonly candidates?: readonly Config[];
  readonly aliases?: readonly string[];
  readonly fallbacks?: readonly { readonly route: string; readonly after?: readonly string[] }[];
  readonly affinity_seconds?: number;
  readonly repeats?: number;
}

const shownFields = ["strategy", "candidates", "aliases", "fallbacks", "affinity_seconds", "repeats"];
const textOf = (value: unknown): string => (value === undefined ? "" : String(value));
const newCandidate: CandidateValues = { provider: "", model: "", tier: "", weight: "", rest: {} };

function valuesOf(route: CatalogEntry | undefined): Values {
  const config: RouteConfig = route?.config ?? {};
  const candidates = (config.candidates ?? []).map(({ provider, model, tier, weight, ...rest }) => ({
    ...{ provider: textOf(provider), model: textOf(model), tier: textOf(tier), weight: textOf(weight), rest },
  }));
  return {
    id: route?.id ?? "",
    strategy: config.strategy ?? "ordered",
    candidates: candidates.length === 0 ? [newCandidate] : candidates,
    aliases: (config.aliases ?? []).join(", "),
    fallbacks: (config.fallbacks ?? []).map((each) => each.route).join(", "),
    after: (config.fallbacks?.[0]?.after ?? ["error"]).join(","),
    affinity: textOf(config.affinity_seconds),
    repeats: textOf(config.repeats),
    more: otherFields(route?.config ?? {}, shownFields),
  };
}

const numberOf = (text: string): number | undefined => (text === "" ? undefined : Number(text));

const candidateOf = ({ provider, model, tier, weight, rest }: CandidateValues): Config => ({
  ...rest,
  ...filled({ provider, model, tier: numberOf(tier), weight: numberOf(weight) }),
});

function configOf(values: Values): Config {
  const fallbacks = namesIn(values.fallbacks).map((route) => ({ route, after: values.after.split(",") }));
  return {
    ...readFields(values.more, texts.providers.invalidJson),
    ...filled({ aliases: namesIn(values.aliases), fallbacks }),
    ...filled({ affinity_seconds: numberOf(values.affinity), repeats: numberOf(values.repeats) }),
    strategy: values.strategy,
    candidates: values.candidates.map(candidateOf),
  };
}

interface CandidateProps {
  readonly values: CandidateValues;
  readonly n: number;
  readonly change: (values: CandidateValues) => void;
  readonly remove: () => void;
  readonly errorOf: (param: string) => string | undefined;
}

function CandidateFields({ values, n, change, remove, errorOf }: CandidateProps) {
  const { data: providers = [] } = useLiveProviders();
  const { data: models = [] } = useModels();
  const own = models.filter(
    ({ kind, candidates: [first] }) => kind === "listed" && first?.provider === values.provider,
  );
  const set = (name: keyof CandidateValues) => (value: string) => change({ ...values, [name]: value });
  const at = `config.candidates[${n - 1}]`;
  const isOwn = (field: string) => errorOf(`${at}.${field}`);
  const other = ["provider", "model", "tier", "weight"].every((name) => isOwn(name) === undefined)
    ? errorOf(at)
    : undefined;
  return (
    <div className="grid grid-cols-[1fr_1fr_4rem_4.5rem] items-start gap-2 max-sm:grid-cols-2">
      <Field
        label={fill(words.form.provider, { n })}
        value={values.provider}
        change={set("provider")}
        suggestions={providers.map(({ id }) => id)}
        error={isOwn("provider") ?? other}
        rule={allowed["config.candidates.provider"]}
      />
      <Field
        label={fill(words.form.model, { n })}
        value={values.model}
        change={set("model")}
        suggestions={own.map(({ candidates: [first] }) => first?.model ?? "")}
        error={isOwn("model")}
        rule={allowed["config.candidates.model"]}
      />
      {(["tier", "weight"] as const).map((name) => (
        <Field
          key={name}
          {...{ label: fill(words.form[name], { n }), value: values[name], change: set(name) }}
          rule={allowed[`config.candidates.${name}`]}
          error={isOwn(name)}
        />
      ))}
      <Button look="quiet" className="justify-self-start" onClick={remove}>
        {fill(words.form.removeCandidate, { n })}
      </Button>
    </div>
  );
}

const strategies = Object.entries(words.strategies);
const causes = [
  ["error", words.causes.error],
  ["context_length", words.causes.context_length],
  ["content_refusal", words.causes.content_refusal],
  ["error,context_length", `${words.causes.error} or ${words.causes.context_length}`],
  ["error,context_length,content_refusal", "any of them"],
] as const;

interface FormProps {
  /** Absent: a new one. */
  readonly route?: CatalogEntry;
  readonly close: () => void;
}

export function RouteForm({ route, close }: FormProps) {
  const queries = useQueryClient();
  const [values, setValues] = useState(() => valuesOf(route));
  const set = (name: keyof Values) => (value: string) => setValues({ ...values, [name]: value });
  const setCandidates = (candidates: readonly CandidateValues[]) => setValues({ ...values, candidates });
  const submit = async () => {
    const config = configOf(values);
    if (route === undefined) await call("routes", { body: { id: values.id, config } });
    else
      await call(`routes/${encodeURIComponent(route.id)}`, {
        ...{ method: "PATCH", body: { config }, ifMatch: route.version },
      });
    await queries.invalidateQueries();
    close();
  };
  const label = route === undefined ? words.addRoute : texts.common.save;
  const { form } = words;
  return (
    <Form submit={submit} label={label} cancel={close} fields={["id", "config"]}>
      {(errorOf) => (
        <>
          {route === undefined ? (
            <Field label={form.id} value={values.id} change={set("id")} error={errorOf("id")} rule={allowed.id} />
          ) : null}
          <Field
            label={form.strategy}
            value={values.strategy}
            change={set("strategy")}
            options={strategies}
            error={errorOf("config.strategy")}
          />
          <fieldset className="flex flex-col gap-2">
            <legend className="mb-1 font-semibold">{form.candidates}</legend>
            {values.candidates.map((candidate, at) => (
              <CandidateFields
                // biome-ignore lint/suspicious/noArrayIndexKey: a candidate is its place while it is typed
                key={at}
                n={at + 1}
                values={candidate}
                change={(next) => setCandidates(values.candidates.map((each, index) => (index === at ? next : each)))}
                remove={() => setCandidates(values.candidates.filter((_, index) => index !== at))}
                errorOf={errorOf}
              />
            ))}
            <Button className="self-start" onClick={() => setCandidates([...values.candidates, newCandidate])}>
              {form.addCandidate}
            </Button>
          </fieldset>
          <Field
            label={form.aliases}
            value={values.aliases}
            change={set("aliases")}
            error={errorOf("config.aliases")}
            rule={allowed["config.aliases"]}
          />
          <div className="grid gap-3 sm:grid-cols-2">
            <Field
              label={form.fallback}
              value={values.fallbacks}
              change={set("fallbacks")}
              error={errorOf("config.fallbacks")}
            />
            <Field label={form.after} value={values.after} change={set("after")} options={causes} />
            <Field
              label={form.affinity}
              rule={allowed["config.affinity_seconds"]}
              value={values.affinity}
              change={set("affinity")}
              error={errorOf("config.affinity_seconds")}
            />
            <Field
              label={form.repeats}
              rule={allowed["config.repeats"]}
              value={values.repeats}
              change={set("repeats")}
              error={errorOf("config.repeats")}
            />
          </div>
          <Field label={form.more} rows={2} value={values.more} change={set("more")} error={restError(errorOf)} />
        </>
      )}
    </Form>
  );
}

/** The error of a field that has none of its own in the form. */
function restError(errorOf: (param: string) => string | undefined): string | undefined {
  return shownFields.some((name) => errorOf(`config.${name}`) !== undefined) ? undefined : errorOf("config");
}
