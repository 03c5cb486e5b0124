// The API reference: every operation by its group.
import { Link, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Heading } from "../ui/basics.tsx";
import { BaseUrl, KeyForm } from "./key-form.tsx";
import { Prose } from "./prose.tsx";
import { useReader } from "./reader.ts";
import { type Row, rowsOf, type Spec } from "./spec.ts";
import { texts } from "./texts.ts";

export function OperationLink({ method, path, operation }: Row) {
  return (
    <li>
      <Link
        to={"/api/$operation" as string}
        params={{ operation: operation.operationId } as never}
        className="flex min-h-9 flex-wrap items-center gap-x-3 rounded-md px-2 py-1 hover:bg-sunken"
      >
        <span className="w-14 font-mono font-semibold text-[12px] text-accent">{method}</span>
        <code className="wrap-anywhere font-mono">{path}</code>
        <span className="text-muted">
          <Prose text={operation.summary} />
        </span>
      </Link>
    </li>
  );
}

function Operations({ spec }: { readonly spec: Spec }) {
  const [filter, setFilter] = useState("");
  const hash = useRouterState({ select: (state) => state.location.hash });
  useEffect(() => void document.getElementById(hash)?.scrollIntoView(), [hash]);
  const words = filter.toLowerCase();
  const shown = rowsOf(spec).filter(({ path, operation }) =>
    `${path} ${operation.summary}`.toLowerCase().includes(words),
  );
  return (
    <>
      <label className="mt-3 flex max-w-sm flex-col gap-1">
        <span className="text-muted">{texts.filter}</span>
        <input
          type="text"
          className="control"
          placeholder={texts.filterHint}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      </label>
      {shown.length === 0 ? <p className="mt-4 text-muted">{texts.noOperation}</p> : null}
      {spec.tags.map(({ name }) => {
        const rows = shown.filter(({ operation }) => operation.tags.includes(name));
        return rows.length === 0 ? null : (
          <section key={name} aria-label={name} className="mt-5">
            <h2 id={name} className="mb-1 scroll-mt-2 font-semibold">
              {name}
            </h2>
            <ul>
              {rows.map((row) => (
                <OperationLink key={row.operation.operationId} {...row} />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

export default function Reference() {
  const { spec } = useReader();
  return (
    <div className="max-w-4xl">
      <Heading title={texts.reference} />
      {spec === null || "/v1/models" in spec.paths ? <BaseUrl /> : null}
      {spec === null ? <KeyForm /> : <Operations spec={spec} />}
    </div>
  );
}
