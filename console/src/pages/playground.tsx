// Playground: a chat in any client format over the client endpoints, with its times, its ledger row and its code.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useRef, useState } from "react";
import { call } from "../data/api.ts";
import { duration } from "../data/format.ts";
import { useModels } from "../data/queries.ts";
import type { RequestRow } from "../data/types.ts";
import { shared, useSearch } from "../data/url.ts";
import { spansOf } from "../data/waterfall.ts";
import { fill, texts } from "../texts.ts";
import { Button, Code, Heading, Money, Section } from "../ui/basics.tsx";
import { Field } from "../ui/form.tsx";
import { Empty, Failure } from "../ui/states.tsx";
import { type Chat, curlOf, type FormatName, formats, type Message, send } from "./playground/chat.ts";
import { Waterfall } from "./requests/waterfall.tsx";

const words = texts.playground;

interface Run {
  readonly requestId: string | null;
  readonly firstMs: number | null;
  readonly totalMs: number;
}

/** The row of the ledger appears when the request is settled. */
function Result({ run }: { readonly run: Run }) {
  const [search] = useSearch();
  const { requestId } = run;
  const { data } = useQuery({
    queryKey: ["request", requestId],
    queryFn: () => call<RequestRow>(`requests/${encodeURIComponent(requestId ?? "")}`),
    enabled: requestId !== null,
    retry: 5,
  });
  return (
    <Section title={texts.requests.waterfall}>
      <p className="mb-2 flex flex-wrap gap-4">
        <span>{fill(words.firstToken, { duration: duration(run.firstMs) })}</span>
        <span>{fill(words.total, { duration: duration(run.totalMs) })}</span>
        {data === undefined ? null : <Money amount={data.cost ?? data.price} />}
        {requestId === null ? null : (
          <Link
            to="/requests"
            search={{ ...shared(search), open: requestId } as never}
            className="text-accent underline"
          >
            {words.openRequest}
          </Link>
        )}
      </p>
      {data === undefined ? null : <Waterfall spans={spansOf(data)} />}
    </Section>
  );
}

function useChat() {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [answer, setAnswer] = useState<string | null>(null);
  const [run, setRun] = useState<Run | null>(null);
  const [error, setError] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);
  const ask = async (chat: Omit<Chat, "messages">, text: string): Promise<void> => {
    const asked = [...messages, { role: "user" as const, content: text }];
    const controller = new AbortController();
    abort.current = controller;
    setMessages(asked);
    setAnswer("");
    setError(null);
    setRun(null);
    const startedMs = performance.now();
    let firstMs: number | null = null;
    let whole = "";
    const onText = (piece: string): void => {
      firstMs ??= performance.now() - startedMs;
      whole += piece;
      setAnswer(whole);
    };
    try {
      const requestId = await send({ ...chat, messages: asked }, { onText, signal: controller.signal });
      setRun({ requestId, firstMs, totalMs: performance.now() - startedMs });
    } catch (cause) {
      if (!controller.signal.aborted) setError(cause);
    }
    if (whole !== "") setMessages([...asked, { role: "assistant", content: whole }]);
    setAnswer(null);
  };
  const clear = () => {
    setMessages([]);
    setRun(null);
    setError(null);
  };
  return { messages, answer, run, error, ask, clear, stop: () => abort.current?.abort() };
}

function Conversation({ messages, answer }: { readonly messages: readonly Message[]; readonly answer: string | null }) {
  const all = answer === null ? messages : [...messages, { role: "assistant" as const, content: answer }];
  if (all.length === 0) return <Empty>{words.empty}</Empty>;
  return (
    <ol role="log" aria-label={words.answer} aria-busy={answer !== null} className="flex flex-col gap-2">
      {all.map(({ role, content }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages are only added at the end
        <li key={at} className="border-line border-l-2 pl-3">
          <p className="text-muted">{role}</p>
          <p className="whitespace-pre-wrap break-words">{content}</p>
        </li>
      ))}
    </ol>
  );
}

export default function Playground() {
  const [search, change] = useSearch();
  const { data: models = [] } = useModels();
  const [key, setKey] = useState("");
  const [system, setSystem] = useState("");
  const [text, setText] = useState("");
  const chat = useChat();
  const format: FormatName = (search["format"] ?? "") in formats ? (search["format"] as FormatName) : "chat";
  const model = search["model"] ?? models.find(({ kind }) => kind === "route")?.id ?? "sandbox/chat";
  const given = { format, model, key, system };
  const isRunning = chat.answer !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "" || isRunning) return;
    setText("");
    void chat.ask(given, text);
  };
  const titles = Object.entries(formats).map(([name, { title }]) => [name, title] as const);
  const code = curlOf({
    ...given,
    messages: [...chat.messages, ...(text === "" ? [] : [{ role: "user" as const, content: text }])],
  });
  return (
    <>
      <Heading title={words.title} />
      <div className="grid gap-6 lg:grid-cols-[18rem_1fr]">
        <div className="flex flex-col gap-3">
          <Field label={words.format} value={format} change={(value) => change({ format: value })} options={titles} />
          <Field
            label={words.model}
            value={model}
            change={(value) => change({ model: value })}
            suggestions={models.map(({ id }) => id)}
          />
          <Field label={words.key} type="password" value={key} change={setKey} hint={words.keyHint} />
          <Field label={words.system} rows={3} value={system} change={setSystem} />
        </div>
        <div className="min-w-0">
          <Conversation messages={chat.messages} answer={chat.answer} />
          {chat.error === null ? null : <Failure error={chat.error} />}
          <form onSubmit={submit} className="mt-3 flex flex-col gap-2">
            <Field label={words.message} rows={3} value={text} change={setText} />
            <div className="flex justify-end gap-2">
              {chat.messages.length > 0 && !isRunning ? <Button onClick={chat.clear}>{words.clear}</Button> : null}
              {isRunning ? <Button onClick={chat.stop}>{words.stop}</Button> : null}
              <Button look="main" type="submit" disabled={isRunning}>
                {words.send}
              </Button>
            </div>
          </form>
          {chat.run === null ? null : <Result run={chat.run} />}
          <Section title={words.code}>
            <Code label={words.code}>{code}</Code>
          </Section>
        </div>
      </div>
    </>
  );
}
