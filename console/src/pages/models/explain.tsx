// The drawer of one model: the candidates as the next request would meet them, for a key and what it needs.
import { useState } from "react";
import { type Explanation, type Placed, type PricePair, useExplanation } from "../../data/catalog.ts";
import { count, duration, money, nameOfModel, percent } from "../../data/format.ts";
import { useKeys } from "../../data/queries.ts";
import { fill, texts } from "../../texts.ts";
import { Mark, Section } from "../../ui/basics.tsx";
import { Field } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { StateMark } from "../providers/state.tsx";

const words = texts.models;

const needNames = ["images", "tools", "json_schema"] as const;
type Need = (typeof needNames)[number];

const pairOf = ({ input, output }: PricePair): string =>
  input === null && output === null
    ? "–"
    : [input, output].map((amount) => (amount === null ? "–" : money(amount))).join(" / ");

/** What it does not support, and how long a request may be. */
function supportsOf({ supports }: Placed): string[] {
  const lacks = Object.entries(words.lacks).filter(([name]) => supports[name] === false);
  const bounds = Object.entries(words.atMost).filter(([name]) => typeof supports[name] === "number");
  return [
    ...lacks.map(([, text]) => text),
    ...bounds.map(([name, text]) => fill(text, { count: count(Number(supports[name])) })),
  ];
}

/** A candidate in a line, with why it has its place. */
function Candidate({ each }: { readonly each: Placed }) {
  const name = [nameOfModel(each.provider, each.model), each.credential].filter((part) => part !== null).join(", ");
  const facts = [
    ...(each.share === null || each.state !== "available"
      ? []
      : [fill(words.share, { share: percent(each.share, 1) })]),
    ...(each.tier === 1 ? [] : [fill(words.tier, { tier: each.tier })]),
    ...supportsOf(each),
    duration(each.first_token_ms ?? each.response_ms),
    `${words.cost} ${pairOf(each.cost_per_million)}`,
  ].filter((fact) => fact !== "–");
  return (
    <li className="border-line border-t py-1.5">
      <p className="flex flex-wrap items-center gap-x-3">
        <strong className="break-all">{name}</strong>
        <StateMark of={each} />
        <span className="text-muted">{facts.join(" · ")}</span>
      </p>
      <p>{each.reason}</p>
    </li>
  );
}

function Skipped({ skipped }: Pick<Explanation, "skipped">) {
  if (skipped.length === 0) return null;
  return (
    <Section title={words.skipped}>
      <ul>
        {skipped.map(({ provider, model, credential, code, reason }) => (
          <li key={`${provider} ${model} ${credential} ${code}`} className="py-0.5">
            <span className="break-all">
              {[model === null ? provider : nameOfModel(provider, model), credential].filter(Boolean).join(", ")}
            </span>
            <span className="text-muted">: {reason}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Order({ explanation }: { readonly explanation: Explanation }) {
  const { refusal, candidates, skipped, max_attempts: most, route } = explanation;
  const aliases = route?.aliases ?? [];
  return (
    <>
      {route === null ? null : (
        <p className="mb-1 text-muted">
          {fill(words.routeFacts, {
            strategy: words.strategies[route.strategy as keyof typeof words.strategies] ?? route.strategy,
            aliases: aliases.length === 0 ? words.noAliases : fill(words.aliasesAre, { aliases: aliases.join(", ") }),
          })}
        </p>
      )}
      {refusal === null ? null : (
        <p role="status" className="mb-1">
          <Mark tone="failing">
            <span className="whitespace-normal">{fill(words.refused, refusal)}</span>
          </Mark>
        </p>
      )}
      {candidates.length === 0 ? null : (
        <ol aria-label={words.candidates}>
          {candidates.map((each) => (
            <Candidate
              key={`${each.provider} ${each.model} ${each.credential} ${each.tier} ${each.after}`}
              each={each}
            />
          ))}
        </ol>
      )}
      {candidates.length > most ? <p className="text-muted">{fill(words.attempts, { count: String(most) })}</p> : null}
      <Skipped skipped={skipped} />
    </>
  );
}

export function Explain({ model }: { readonly model: string }) {
  const { data: keys = [] } = useKeys();
  const [key, setKey] = useState("");
  const [tokens, setTokens] = useState("");
  const [needs, setNeeds] = useState<readonly Need[]>([]);
  const query = useExplanation({
    model,
    ...(key === "" ? {} : { key_id: key }),
    ...(/^\d{1,9}$/.test(tokens) ? { input_tokens: Number(tokens) } : {}),
    ...Object.fromEntries(needs.map((need) => [need, true])),
  });
  const usable = keys.filter(({ state }) => state !== "revoked");
  const options = [["", words.anyKey] as const, ...usable.map(({ id, name }) => [id, name] as const)];
  const toggle = (need: Need) =>
    setNeeds(needs.includes(need) ? needs.filter((each) => each !== need) : [...needs, need]);
  return (
    <Section title={words.explain}>
      <div className="mb-2 flex flex-wrap items-end gap-3">
        <Field label={words.explainKey} value={key} change={setKey} options={options} className="w-56" />
        <Field label={words.inputTokens} type="number" value={tokens} change={setTokens} className="w-32" />
        {needNames.map((need) => (
          <label key={need} className="flex min-h-8 items-center gap-1.5">
            <input type="checkbox" checked={needs.includes(need)} onChange={() => toggle(need)} />
            {words.needs[need]}
          </label>
        ))}
      </div>
      <Loaded query={query}>{(explanation) => <Order explanation={explanation} />}</Loaded>
    </Section>
  );
}
