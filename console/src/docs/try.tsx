// A form that sends the request of an operation and shows the response as it arrives.
import { type FormEvent, useRef, useState } from "react";
import { base } from "../data/gateway.ts";
import { fill } from "../texts.ts";
import { Button, Section } from "../ui/basics.tsx";
import { Field } from "../ui/form.tsx";
import { useReader } from "./reader.ts";
import { bodyExample, exampleValues, fieldsOf, isAdmin, type Row, type Spec, targetOf, type Values } from "./spec.ts";
import { texts } from "./texts.ts";

/** A long response would make the page slow. */
const maxShown = 20_000;

interface Result {
  readonly text: string;
  readonly isCut: boolean;
  /** Of a file: its address in this page. */
  readonly file?: { readonly url: string; readonly size: number };
}

function headersOf(row: Row, values: Values, key: string): Record<string, string> {
  const named = row.operation.parameters.filter((each) => each.in === "header" && values[each.name]);
  const own = Object.fromEntries(named.map(({ name }) => [name, values[name] ?? ""]));
  return row.operation.security.length === 0 || key === "" ? own : { authorization: `Bearer ${key}`, ...own };
}

/** The body that is written, checked where it is JSON. */
function bodyOf(type: string, text: string, files: Readonly<Record<string, File>>): BodyInit {
  if (type !== "multipart/form-data") {
    JSON.parse(text);
    return text;
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(JSON.parse(text) as Record<string, unknown>))
    form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  for (const [name, file] of Object.entries(files)) form.append(name, file);
  return form;
}

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // An event stream, or a part of a document.
    return text;
  }
};

async function show(response: Response, update: (result: Result) => void): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  const head = `${response.status} ${response.headers.get("x-request-id") ?? ""}\n`;
  if (!/json|text|openmetrics/.test(type)) {
    const blob = await response.blob();
    const file = { url: URL.createObjectURL(blob), size: blob.size };
    update({ text: `${head}${type}, ${blob.size} bytes`, isCut: false, file });
    return;
  }
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    text += part.value;
    if (text.length > maxShown) {
      update({ text: head + text.slice(0, maxShown), isCut: true });
      await reader?.cancel();
      return;
    }
    update({ text: head + text, isCut: false });
  }
  update({ text: head + pretty(text), isCut: false });
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The example as text; files are chosen apart. */
function firstBody(row: Row): { readonly type: string; readonly text: string } | null {
  const type = Object.keys(row.operation.requestBody?.content ?? {})[0];
  if (type === undefined) return null;
  const { type: found, body } = bodyExample(row.operation) ?? { type, body: {} };
  const plain = Object.entries(body).filter(([, value]) => typeof value !== "string" || !value.startsWith("@"));
  return { type: found, text: JSON.stringify(Object.fromEntries(plain), null, 2) };
}

function fileFields(spec: Spec, { operation }: Row, type: string): readonly string[] {
  const schema = type === "multipart/form-data" ? operation.requestBody?.content[type]?.schema : undefined;
  const fields = schema === undefined ? [] : fieldsOf(spec, schema);
  return fields.filter((field) => field.schema.format === "binary").map(({ name }) => name);
}

function FileField({ name, choose }: { readonly name: string; readonly choose: (file: File | undefined) => void }) {
  return (
    <label className="flex flex-col gap-1">
      <span className="text-muted">{name}</span>
      <input type="file" className="control w-full" onChange={({ target }) => choose(target.files?.[0])} />
    </label>
  );
}

function Outcome({ result }: { readonly result: Result | null }) {
  return (
    <>
      <pre
        role="status"
        aria-label={texts.result}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        hidden={result === null}
        className="mt-3 max-h-96 overflow-auto rounded-md border border-line bg-sunken p-2.5 font-mono text-[12px]"
      >
        {result?.text}
      </pre>
      {result?.isCut ? <p className="text-muted">{fill(texts.resultCut, { count: maxShown })}</p> : null}
      {result?.file === undefined ? null : (
        <a className="mt-2 inline-block underline" href={result.file.url} download="response">
          {fill(texts.download, { size: `${result.file.size} bytes` })}
        </a>
      )}
    </>
  );
}

export function TryForm({ row, spec }: { readonly row: Row; readonly spec: Spec }) {
  const { key, adminKey, setAdminKey } = useReader();
  const [first] = useState(() => firstBody(row));
  const [values, setValues] = useState<Values>(() => exampleValues(row.operation));
  const [text, setText] = useState(first?.text ?? "");
  const [result, setResult] = useState<Result | null>(null);
  const files = useRef<Record<string, File>>({});
  const stop = useRef<AbortController | null>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    stop.current?.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    setResult({ text: texts.sending, isCut: false });
    try {
      const body = first === null ? undefined : bodyOf(first.type, text, files.current);
      const type: Record<string, string> = typeof body === "string" ? { "content-type": "application/json" } : {};
      const headers = { ...headersOf(row, values, isAdmin(row) ? adminKey : key), ...type };
      const init = { method: row.method, headers, signal, ...(body === undefined ? {} : { body }) };
      await show(await fetch(base + targetOf(row, values), init), setResult);
    } catch (cause) {
      const words = cause instanceof SyntaxError ? texts.notJson : texts.requestFailed;
      if (!signal.aborted) setResult({ text: fill(words, { reason: reasonOf(cause) }), isCut: false });
    }
  };
  const binary = fileFields(spec, row, first?.type ?? "");
  const label = first?.type === "multipart/form-data" ? texts.fields : texts.body;
  return (
    <Section title={texts.tryIt}>
      <form className="flex flex-col gap-3" onSubmit={(event) => void send(event)}>
        {isAdmin(row) ? <Field label={texts.adminKey} type="password" value={adminKey} change={setAdminKey} /> : null}
        {row.operation.parameters.map(({ name, required }) => (
          <Field
            key={name}
            label={name}
            value={values[name] ?? ""}
            isRequired={required === true}
            change={(value) => setValues((before) => ({ ...before, [name]: value }))}
          />
        ))}
        {binary.map((name) => (
          <FileField
            key={name}
            name={name}
            choose={(file) => {
              if (file === undefined) delete files.current[name];
              else files.current[name] = file;
            }}
          />
        ))}
        {first === null ? null : (
          <Field label={label} value={text} change={setText} rows={8} className="[&_textarea]:font-mono" />
        )}
        <div className="flex justify-end">
          <Button look="main" type="submit">
            {texts.send}
          </Button>
        </div>
      </form>
      <Outcome result={result} />
    </Section>
  );
}
