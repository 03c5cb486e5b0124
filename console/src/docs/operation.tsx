// One operation: parameters, body, response and errors, code, and a form that sends it.
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { base } from "../data/gateway.ts";
import { fill } from "../texts.ts";
import { Code, Section } from "../ui/basics.tsx";
import { Failure } from "../ui/states.tsx";
import { snippetsOf } from "./code.ts";
import { KeyForm } from "./key-form.tsx";
import { Prose } from "./prose.tsx";
import { useReader } from "./reader.ts";
import {
  bodyExample,
  boundsOf,
  type Content,
  exampleOf,
  fieldsOf,
  type Operation,
  type Row,
  rowsOf,
  type Schema,
  type Spec,
  shapesOf,
  typeOf,
} from "./spec.ts";
import { texts } from "./texts.ts";
import { TryForm } from "./try.tsx";

interface FieldLine {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly bounds: string;
  readonly description: string;
}

/** Lines instead of a table, so that long types have room on a telephone too. */
function Fields({ lines, label }: { readonly lines: readonly FieldLine[]; readonly label: string }) {
  return (
    <ul aria-label={label} className="divide-y divide-line border-line border-y">
      {lines.map(({ name, type, isRequired, bounds, description }) => (
        <li key={name} className="wrap-anywhere py-1.5">
          <code className="font-mono font-medium">{name}</code>{" "}
          <span className="font-mono text-[12px] text-muted">{type}</span>
          {isRequired ? <span className="text-warning"> {texts.required}</span> : null}
          {bounds === "" ? null : <span className="text-muted"> {bounds}</span>}
          {description === "" ? null : (
            <p>
              <Prose text={description} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function Shape({ spec, schema, label }: { readonly spec: Spec; readonly schema: Schema; readonly label: string }) {
  const fields = fieldsOf(spec, schema);
  if (fields.length === 0) return <p className="font-mono text-[12px]">{typeOf(spec, schema)}</p>;
  const lines = fields.map((field) => ({
    name: field.name,
    type: typeOf(spec, field.schema),
    isRequired: field.isRequired,
    bounds: boundsOf(field.schema),
    description: field.schema.description ?? "",
  }));
  return <Fields lines={lines} label={label} />;
}

/** The fields of each content type, and of each shape that it has. */
function Bodies({ spec, content }: { readonly spec: Spec; readonly content: Content | undefined }) {
  const parts = Object.entries(content ?? {}).flatMap(([type, { schema }]) => {
    const shapes = shapesOf(spec, schema);
    const name = (at: number) => fill(texts.shape, { type, at: at + 1, count: shapes.length });
    return shapes.map((shape, at) => ({ title: shapes.length > 1 ? name(at) : type, shape }));
  });
  if (parts.length === 0) return <p className="text-muted">{texts.noBody}</p>;
  return parts.map(({ title, shape }) => (
    <div key={title} className="mb-3">
      <p className="mb-1 text-muted">{title}</p>
      <Shape spec={spec} schema={shape} label={title} />
    </div>
  ));
}

function Authentication({ operation: { security } }: Row) {
  const names: Readonly<Record<string, string>> = {
    bearer: "Authorization: Bearer",
    apiKey: "x-api-key",
    googleKey: "x-goog-api-key",
    queryKey: "?key=",
  };
  if (security.length === 0) return <p className="text-muted">{texts.noKey}</p>;
  return (
    <ul className="flex flex-wrap gap-x-4">
      {security.flatMap(Object.keys).map((each) => (
        <li key={each}>
          <code className="font-mono">{names[each] ?? each}</code>
        </li>
      ))}
    </ul>
  );
}

function Parameters({ operation, spec }: { readonly operation: Operation; readonly spec: Spec }) {
  if (operation.parameters.length === 0) return null;
  const lines = operation.parameters.map(({ name, in: place, required, schema, description }) => ({
    name,
    type: `${typeOf(spec, schema)}, ${texts.in[place]}`,
    isRequired: required === true,
    bounds: boundsOf(schema),
    description: description ?? schema.description ?? "",
  }));
  return (
    <Section title={texts.parameters}>
      <Fields lines={lines} label={texts.parameters} />
    </Section>
  );
}

function CodeOf({ row }: { readonly row: Row }) {
  const snippets = snippetsOf(row, base);
  const [title, setTitle] = useState("curl");
  const shown = snippets.find((each) => each.title === title) ?? snippets[0];
  const choice =
    snippets.length === 1 ? undefined : (
      <select
        aria-label={texts.language}
        className="control"
        value={shown?.title}
        onChange={({ target }) => setTitle(target.value)}
      >
        {snippets.map((each) => (
          <option key={each.title}>{each.title}</option>
        ))}
      </select>
    );
  return (
    <Section title={texts.code} aside={choice}>
      <Code label={shown?.title ?? ""}>{shown?.text ?? ""}</Code>
    </Section>
  );
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

function Details({ spec, row }: { readonly spec: Spec; readonly row: Row }) {
  const { operation } = row;
  const { 200: ok, ...errors } = operation.responses;
  const example = bodyExample(operation);
  const reply = ok?.content?.["application/json"]?.schema;
  const errorContent = Object.values(errors).find(({ content }) => content !== undefined)?.content;
  return (
    <div className="grid grid-cols-1 gap-x-8 xl:grid-cols-[minmax(0,1fr)_minmax(0,30rem)]">
      <div className="min-w-0">
        <Section title={texts.authentication}>
          <Authentication {...row} />
        </Section>
        <Parameters operation={operation} spec={spec} />
        <Section title={texts.request}>
          <Bodies spec={spec} content={operation.requestBody?.content} />
        </Section>
        <Section title={texts.response}>
          <Bodies spec={spec} content={ok?.content} />
        </Section>
        {errorContent === undefined ? null : (
          <Section title={texts.errors}>
            <ul className="mb-3">
              {Object.entries(errors).map(([status, { description }]) => (
                <li key={status}>
                  {status}: {description}
                </li>
              ))}
            </ul>
            <Bodies spec={spec} content={errorContent} />
          </Section>
        )}
      </div>
      <div className="min-w-0 max-xl:order-first">
        <CodeOf row={row} />
        {example === null ? null : (
          <Section title={texts.example}>
            <Code label={texts.example}>{json(example.body)}</Code>
          </Section>
        )}
        {reply === undefined ? null : (
          <Section title={texts.exampleResponse}>
            <Code label={texts.exampleResponse}>{json(exampleOf(spec, reply))}</Code>
          </Section>
        )}
        <TryForm row={row} spec={spec} />
      </div>
    </div>
  );
}

export default function OperationPage() {
  const { spec } = useReader();
  const { operation: id } = useParams({ strict: false }) as { operation?: string };
  if (spec === null) return <KeyForm />;
  const row = rowsOf(spec).find(({ operation }) => operation.operationId === id);
  if (row === undefined) return <Failure error={texts.unknownOperation} />;
  return (
    <article>
      <h1 className="wrap-anywhere font-semibold text-lg">
        <span className="font-mono text-accent">{row.method}</span> <code className="font-mono">{row.path}</code>
      </h1>
      <p className="text-muted">
        <Prose text={row.operation.summary} />
      </p>
      <Details key={id} spec={spec} row={row} />
    </article>
  );
}
