// The drawer of one key: budgets, limits, and what can be done with it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { count, money } from "../../data/format.ts";
import { useSeries } from "../../data/queries.ts";
import type { BudgetRow, Key, Project } from "../../data/types.ts";
import { rangeOf, useSearch } from "../../data/url.ts";
import { fill, texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button, Id, Section, Source, Time } from "../../ui/basics.tsx";
import { BudgetBar } from "../../ui/budget-bar.tsx";
import { ConfirmName } from "../../ui/confirm.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { PlaceLink } from "../../ui/place-link.tsx";
import { Failure, Loaded } from "../../ui/states.tsx";
import { Trend } from "../../ui/trend.tsx";
import { RuleFields, rulesOf, valuesOf } from "./forms.tsx";
import { Rights } from "./rights.tsx";

const words = texts.keys;

interface KeyProps {
  readonly apiKey: Key;
  readonly budgets: readonly BudgetRow[];
  readonly project: Project | undefined;
  readonly rotated: (secret: string) => void;
}

function useChange(key: Key) {
  const queries = useQueryClient();
  return async <Reply,>(verb: string, body: unknown): Promise<Reply> => {
    const path = `keys/${encodeURIComponent(key.id)}${verb === "" ? "" : `/${verb}`}`;
    const method = verb === "" ? "PATCH" : "POST";
    const reply = await call<Reply>(path, { method, body, ifMatch: key.version });
    await queries.invalidateQueries({ queryKey: ["keys"] });
    await queries.invalidateQueries({ queryKey: ["budgets"] });
    return reply;
  };
}

function EditRules({ apiKey }: { readonly apiKey: Key }) {
  const change = useChange(apiKey);
  const [values, setValues] = useState(() => valuesOf(apiKey.rules));
  const submit = async () => void (await change("", { rules: rulesOf(values, apiKey.rules) }));
  return (
    <Form submit={submit} label={texts.common.save} fields={["rules"]}>
      {(errorOf) => <RuleFields values={values} change={setValues} errorOf={errorOf} />}
    </Form>
  );
}

function Revoke({ apiKey }: { readonly apiKey: Key }) {
  const change = useChange(apiKey);
  const [error, setError] = useState<unknown>(null);
  return (
    <ConfirmName
      {...{ label: words.revoke, title: `${words.revoke} ${apiKey.name}`, note: words.revokeNote }}
      {...{ name: apiKey.name, field: words.confirmName, act: () => change("revoke", {}) }}
    >
      {(close) => (
        <>
          {apiKey.state === "active" ? (
            <p className="mb-2">
              {words.disableInstead}{" "}
              <Button onClick={() => void change("", { disabled: true }).then(close, setError)}>
                {words.disableOnly}
              </Button>
            </p>
          ) : null}
          {error === null ? null : <Failure error={error} />}
        </>
      )}
    </ConfirmName>
  );
}

/** The old secret goes on working for a while, or its end is confirmed. */
function Rotate({ apiKey, rotated }: Pick<KeyProps, "apiKey" | "rotated">) {
  const change = useChange(apiKey);
  const [error, setError] = useState<unknown>(null);
  const [grace, setGrace] = useState("3600");
  const act = async () => {
    const { secret } = await change<{ secret: string }>("rotate", { grace_seconds: Number(grace) });
    rotated(secret);
  };
  return (
    <>
      <Field label={words.rotateNote} value={grace} change={setGrace} options={Object.entries(words.graces)} />
      {grace === "0" ? (
        <ConfirmName
          {...{ label: words.rotate, title: `${words.rotate} ${apiKey.name}`, note: words.rotateNow }}
          {...{ name: apiKey.name, field: words.confirmName, act }}
        />
      ) : (
        <Button onClick={() => void act().catch(setError)}>{words.rotate}</Button>
      )}
      {error === null ? null : <Failure error={error} />}
    </>
  );
}

function Actions({ apiKey, rotated }: Pick<KeyProps, "apiKey" | "rotated">) {
  const change = useChange(apiKey);
  const [error, setError] = useState<unknown>(null);
  const isDisabled = apiKey.state === "disabled";
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Rotate {...{ apiKey, rotated }} />
      <Button onClick={() => void change("", { disabled: !isDisabled }).catch(setError)}>
        {isDisabled ? words.enable : words.disable}
      </Button>
      <Revoke apiKey={apiKey} />
      {error === null ? null : <Failure error={error} />}
    </div>
  );
}

const metrics = ["requests", "errors", "tokens", "price"];

function Usage({ apiKey }: { readonly apiKey: Key }) {
  const [search] = useSearch();
  const query = useSeries(metrics, { since: rangeOf(search).since, key_id: apiKey.id }, search["live"]);
  return (
    <Section title={words.usage}>
      <Loaded query={query}>
        {([row]) => {
          const number = (name: string): string => count(Number(row?.total[name] ?? 0));
          const price = money(String(row?.total["price"] ?? "0"));
          const values = { requests: number("requests"), errors: number("errors"), tokens: number("tokens"), price };
          return (
            <p className="flex flex-wrap items-center gap-3">
              <Trend values={row?.values["requests"] ?? []} />
              {fill(words.usageSentence, values)}
            </p>
          );
        }}
      </Loaded>
      <p className="mt-1">
        <PlaceLink to="/requests" search={{ key_id: apiKey.id }}>
          {words.requestsOf}
        </PlaceLink>
      </p>
    </Section>
  );
}

export function KeyDetail({ apiKey, budgets, project, rotated }: KeyProps) {
  const own = budgets.filter(({ level, id }) => level === "key" && id === apiKey.id);
  const isWritable = apiKey.source === "api" && apiKey.state !== "revoked";
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Id id={apiKey.id} length={24} />
        <span className="font-mono">{apiKey.preview}</span>
        <span>{apiKey.state}</span>
        <span>{project?.name ?? apiKey.project_id}</span>
        {apiKey.source === "file" ? <Source source="file" line={apiKey.file_line} /> : null}
      </p>
      <p className="mt-1 text-muted">
        {words.created} <Time iso={apiKey.created_at} />
      </p>
      <Section title={words.columns.budget}>
        {own.length === 0 ? <p className="text-muted">{words.noBudget}</p> : null}
        {own.map((budget) => (
          <BudgetBar key={budget.period} budget={budget} />
        ))}
      </Section>
      <Usage apiKey={apiKey} />
      <Rights apiKey={apiKey} project={project} />
      {isWritable ? (
        <Allowed resource="keys" verb="update">
          <Section title={words.edit}>
            <EditRules apiKey={apiKey} key={apiKey.version} />
          </Section>
          <Section title={texts.common.actions}>
            <Actions apiKey={apiKey} rotated={rotated} />
          </Section>
        </Allowed>
      ) : (
        <p className="mt-4 text-muted">{apiKey.source === "file" ? texts.common.readOnly : apiKey.state}</p>
      )}
    </>
  );
}
