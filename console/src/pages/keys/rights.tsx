// What a key would get: the rules of its project and its own, and the candidates of a model for it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { useModels } from "../../data/queries.ts";
import type { Key, Project, Rules } from "../../data/types.ts";
import { texts } from "../../texts.ts";
import { Mark, Section } from "../../ui/basics.tsx";
import { Field } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";

const words = texts.rights;

interface Explanation {
  readonly refusal: { readonly code: string; readonly message: string } | null;
  readonly candidates: readonly {
    readonly provider: string;
    readonly model: string;
    readonly credential: string | null;
    readonly reason: string;
  }[];
}

function Answer({ apiKey, model }: { readonly apiKey: Key; readonly model: string }) {
  const query = useQuery({
    queryKey: ["explain", apiKey.id, apiKey.version, model],
    queryFn: () => call<Explanation>("routes/explain", { body: { model, key_id: apiKey.id } }),
    retry: false,
  });
  return (
    <Loaded query={query}>
      {({ refusal, candidates }) =>
        refusal === null ? (
          <ol className="flex list-decimal flex-col gap-1 pl-5">
            {candidates.map(({ provider, model: upstream, credential, reason }) => (
              <li key={`${provider}/${upstream} ${credential}`}>
                <span className="font-mono">{`${provider}/${upstream}`}</span>{" "}
                <span className="text-muted">{reason}</span>
              </li>
            ))}
          </ol>
        ) : (
          <Mark tone="failing">
            <span className="whitespace-normal text-text">{refusal.message}</span>
          </Mark>
        )
      }
    </Loaded>
  );
}

const names = Object.keys(words.rules) as (keyof typeof words.rules)[];

const written = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name.replaceAll("_", " ")}: ${each}`)
    .join(", ");
};

/** Of each rule what the project and the key have. All of them apply. */
function rowsOf(project: Rules, key: Rules): readonly (readonly [string, string])[] {
  return names.flatMap((name) => {
    const parts = [
      [words.project, written(project[name])],
      [words.key, written(key[name])],
    ] as const;
    return parts.flatMap(([level, value]) =>
      value === null ? [] : [[`${words.rules[name]} (${level})`, value] as const],
    );
  });
}

export function Rights({ apiKey, project }: { readonly apiKey: Key; readonly project: Project | undefined }) {
  const { data: models = [] } = useModels();
  const [model, setModel] = useState("");
  const rows = rowsOf(project?.rules ?? {}, apiKey.rules);
  const isModel = models.some(({ id }) => id === model);
  return (
    <Section title={words.title}>
      {rows.length === 0 ? <p className="text-muted">{words.everything}</p> : null}
      <dl className="mb-2 grid grid-cols-[auto_1fr] gap-x-4">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <Field
        label={words.model}
        value={model}
        change={setModel}
        hint={words.modelHint}
        suggestions={models.map(({ id }) => id)}
      />
      <div className="mt-2">{isModel ? <Answer apiKey={apiKey} model={model} /> : null}</div>
    </Section>
  );
}
