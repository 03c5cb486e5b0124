// The form of a provider: its fields, limits, and credentials, which are written and never shown.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { type Config, filled, type LiveProvider, namesIn, otherFields, readFields } from "../../data/catalog.ts";
import { formRules } from "../../data/form-rules.ts";
import { fill, texts } from "../../texts.ts";
import { Button } from "../../ui/basics.tsx";
import { Field, Form } from "../../ui/form.tsx";

const words = texts.providers;
const allowed = formRules.providers;

/** As suggestions: the gateway checks the kind. */
const kinds = (
  "openai anthropic gemini azure vertex bedrock cohere jina voyage tei elevenlabs deepgram azure-speech kling jimeng vidu runway replicate fal openrouter groq deepseek " +
  "mistral xai together fireworks cerebras moonshot zhipu zai dashscope ark byteplus minimax siliconflow ollama-cloud ollama lmstudio vllm llamacpp compatible"
).split(" ");

const limitNames = ["requests_per_minute", "tokens_per_minute", "concurrent_requests", "cost_per_day"] as const;
const shownFields = ["kind", "base_url", "models", "limits", "disabled"];

interface CredentialValues {
  readonly name: string;
  readonly secret: string;
  readonly weight: string;
  readonly isStored: boolean;
}

interface Values {
  readonly id: string;
  readonly kind: string;
  readonly base: string;
  readonly models: string;
  readonly limits: Readonly<Record<string, string>>;
  readonly credentials: readonly CredentialValues[];
  readonly more: string;
}

function valuesOf(provider: LiveProvider | undefined): Values {
  const { config = { kind: "openai" }, credentials } = provider ?? {};
  const { models = [], limits = {} } = config as { models?: string[]; limits?: Record<string, string | number> };
  const stored = credentials?.map(({ name, weight }) => ({
    ...{ name, secret: "", isStored: true },
    weight: weight === undefined ? "" : String(weight),
  }));
  return {
    id: provider?.id ?? "",
    kind: String(config["kind"] ?? ""),
    base: String(config["base_url"] ?? ""),
    models: models.join(", "),
    limits: Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)])),
    credentials: stored ?? [{ name: "default", secret: "", weight: "", isStored: false }],
    more: otherFields(config, shownFields),
  };
}

function configOf(values: Values, before: Config): Config {
  const limits = Object.entries(values.limits)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => [name, name === "cost_per_day" ? value : Number(value)] as const);
  return {
    ...readFields(values.more, words.invalidJson),
    ...(before["disabled"] === true ? { disabled: true } : {}),
    ...filled({ kind: values.kind, base_url: values.base, models: namesIn(values.models) }),
    ...(limits.length === 0 ? {} : { limits: Object.fromEntries(limits) }),
  };
}

/** Credentials without a secret keep the stored one. */
const credentialsOf = ({ credentials }: Values, before: LiveProvider | undefined) =>
  credentials
    .filter(({ secret, isStored }) => secret !== "" || isStored)
    .map(({ name, secret, weight }) => ({
      name,
      ...filled({ credential: secret, limits: before?.credentials.find((each) => each.name === name)?.limits }),
      ...(weight === "" ? {} : { weight: Number(weight) }),
    }));

interface CredentialProps {
  readonly values: CredentialValues;
  readonly n: number;
  readonly change: (values: CredentialValues) => void;
  readonly remove: () => void;
}

function CredentialFields({ values, n, change, remove }: CredentialProps) {
  const set = (name: keyof CredentialValues) => (value: string) => change({ ...values, [name]: value });
  return (
    <div className="grid grid-cols-[1fr_1fr_5rem] items-start gap-2 max-sm:grid-cols-1">
      <Field
        {...{ label: fill(words.form.credential, { n }), value: values.name, change: set("name") }}
        rule={allowed["credentials.name"]}
      />
      <Field
        label={fill(words.form.secret, { n })}
        type="password"
        value={values.secret}
        change={set("secret")}
        rule={allowed["credentials.credential"]}
        hint={values.isStored ? words.keepHint : words.formHint}
      />
      <Field
        {...{ label: fill(words.form.weight, { n }), value: values.weight, change: set("weight") }}
        rule={allowed["credentials.weight"]}
      />
      <Button look="quiet" className="justify-self-start" onClick={remove}>
        {fill(words.form.removeCredential, { n })}
      </Button>
    </div>
  );
}

function Credentials({
  all,
  change,
}: {
  readonly all: readonly CredentialValues[];
  readonly change: (all: readonly CredentialValues[]) => void;
}) {
  const add = () => change([...all, { name: `key-${all.length + 1}`, secret: "", weight: "", isStored: false }]);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-semibold">{words.credentials}</legend>
      {all.map((values, at) => (
        <CredentialFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a credential is its place while its name is typed
          key={at}
          n={at + 1}
          values={values}
          change={(next) => change(all.map((each, index) => (index === at ? next : each)))}
          remove={() => change(all.filter((_, index) => index !== at))}
        />
      ))}
      <Button className="self-start" onClick={add}>
        {words.form.addCredential}
      </Button>
    </fieldset>
  );
}

interface FormProps {
  /** Absent: a new one. */
  readonly provider?: LiveProvider;
  readonly close: () => void;
}

const ownFields = ["id", "config", "credentials"];

export function ProviderForm({ provider, close }: FormProps) {
  const queries = useQueryClient();
  const [values, setValues] = useState(() => valuesOf(provider));
  const set = (name: keyof Values) => (value: string) => setValues({ ...values, [name]: value });
  const submit = async () => {
    const config = configOf(values, provider?.config ?? {});
    const body = { config, credentials: credentialsOf(values, provider) };
    if (provider === undefined) await call("providers", { body: { id: values.id, ...body } });
    else
      await call(`providers/${encodeURIComponent(provider.id)}`, { method: "PATCH", body, ifMatch: provider.version });
    await queries.invalidateQueries();
    close();
  };
  return (
    <Form
      submit={submit}
      label={provider === undefined ? words.add : texts.common.save}
      cancel={close}
      fields={ownFields}
    >
      {(errorOf) => (
        <>
          {provider === undefined ? (
            <Field label={words.form.id} value={values.id} change={set("id")} error={errorOf("id")} rule={allowed.id} />
          ) : null}
          <div className="grid gap-3 sm:grid-cols-2">
            <Field
              label={words.form.kind}
              value={values.kind}
              change={set("kind")}
              suggestions={kinds}
              error={errorOf("config.kind")}
              rule={allowed["config.kind"]}
            />
            <Field
              label={words.form.base}
              type="url"
              value={values.base}
              change={set("base")}
              error={errorOf("config.base_url")}
              rule={allowed["config.base_url"]}
            />
          </div>
          <Field
            label={words.form.models}
            value={values.models}
            change={set("models")}
            hint={words.form.modelsHint}
            error={errorOf("config.models")}
            rule={allowed["config.models"]}
          />
          <Credentials all={values.credentials} change={(credentials) => setValues({ ...values, credentials })} />
          {errorOf("credentials") === undefined ? null : <p className="text-failing">{errorOf("credentials")}</p>}
          <fieldset>
            <legend className="mb-1 font-semibold">{words.form.limits}</legend>
            <div className="grid gap-3 sm:grid-cols-2">
              {limitNames.map((name) => (
                <Field
                  key={name}
                  label={words.limitNames[name]}
                  value={values.limits[name] ?? ""}
                  change={(value) => setValues({ ...values, limits: { ...values.limits, [name]: value } })}
                  error={errorOf(`config.limits.${name}`)}
                  rule={allowed[`config.limits.${name}`]}
                />
              ))}
            </div>
          </fieldset>
          <Field
            label={words.form.more}
            rows={3}
            value={values.more}
            change={set("more")}
            error={otherError(errorOf)}
          />
        </>
      )}
    </Form>
  );
}

/** The error of a field that has none of its own in the form. */
function otherError(errorOf: (param: string) => string | undefined): string | undefined {
  const own = ["config.kind", "config.base_url", "config.models", ...limitNames.map((name) => `config.limits.${name}`)];
  return own.some((param) => errorOf(param) !== undefined) ? undefined : errorOf("config");
}
