// The conversation with one model: its parts as text, calls that want a result, times, cost and waterfall.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { duration } from "../../data/format.ts";
import type { RequestRow } from "../../data/types.ts";
import { spansOf } from "../../data/waterfall.ts";
import { fill, texts } from "../../texts.ts";
import { Button, Money } from "../../ui/basics.tsx";
import { Field } from "../../ui/form.tsx";
import { PlaceLink } from "../../ui/place-link.tsx";
import { Empty, Failure } from "../../ui/states.tsx";
import { Waterfall } from "../requests/waterfall.tsx";
import { AudioView, ImageView } from "./media.tsx";
import { type Message, openCalls, type Part } from "./message.ts";
import type { Conversation, Run } from "./use-chats.ts";

const words = texts.playground;

interface PartProps {
  readonly part: Part;
  /** More of it may come. */
  readonly isBusy: boolean;
  readonly use?: ((url: string) => void) | undefined;
}

function PartView({ part, isBusy, use }: PartProps) {
  const look = "whitespace-pre-wrap break-words";
  if (part.kind === "text") return <p className={look}>{part.text}</p>;
  if (part.kind === "image") return <ImageView url={part.url} use={isBusy ? undefined : use} />;
  if (part.kind === "audio")
    return isBusy ? <p className="text-muted">{words.audioComes}</p> : <AudioView part={part} />;
  if (part.kind === "thinking")
    return (
      <details className="text-muted" open>
        <summary>{words.thinking}</summary>
        <p className={look}>{part.text}</p>
      </details>
    );
  const title = part.kind === "call" ? words.callOf : words.resultOf;
  return (
    <div className="rounded border border-line bg-sunken p-2">
      <p className="text-muted">{fill(title, { name: part.name })}</p>
      <p className={`${look} font-mono text-[12px]`}>{part.kind === "call" ? part.args : part.text}</p>
    </div>
  );
}

const isResult = ({ parts }: Message): boolean => parts.some(({ kind }) => kind === "result");

interface MessagesProps {
  readonly messages: readonly Message[];
  readonly isBusy: boolean;
  readonly use: (url: string) => void;
}

function Messages({ messages, isBusy, use }: MessagesProps) {
  return (
    <div role="log" aria-label={words.answer} aria-busy={isBusy} className="flex flex-col gap-2">
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages are only added at the end
        <div key={at} className="flex flex-col gap-1 border-line border-l-2 pl-3">
          <p className="text-muted">{isResult(message) ? words.tool : message.role}</p>
          {message.parts.map((part, index) => (
            <PartView
              // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end
              key={index}
              part={part}
              isBusy={isBusy && at === messages.length - 1}
              use={message.role === "assistant" ? use : undefined}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

/** A field for the result of each call at the end. */
function Results({
  messages,
  send,
}: {
  readonly messages: readonly Message[];
  readonly send: (message: Message) => void;
}) {
  const calls = openCalls(messages);
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  if (calls.length === 0) return null;
  const submit = () => {
    send({
      role: "user",
      parts: calls.map(({ id, name }) => ({ kind: "result" as const, id, name, text: results[id] ?? "" })),
    });
    setResults({});
  };
  return (
    <div className="mt-2 flex flex-col gap-2">
      {calls.map(({ id, name }) => (
        <Field
          key={id}
          label={fill(words.resultOf, { name })}
          rows={2}
          value={results[id] ?? ""}
          change={(value) => setResults({ ...results, [id]: value })}
        />
      ))}
      <Button className="self-start" onClick={submit}>
        {words.sendResults}
      </Button>
    </div>
  );
}

const rowRetryMs = 400;

/** The row of the ledger appears when the request is settled. */
function Result({ run }: { readonly run: Run }) {
  const { requestId } = run;
  const { data } = useQuery({
    queryKey: ["request", requestId],
    queryFn: () => call<RequestRow>(`requests/${encodeURIComponent(requestId ?? "")}`),
    enabled: requestId !== null && run.totalMs !== null,
    retry: 8,
    retryDelay: rowRetryMs,
    refetchInterval: ({ state }) => (state.data?.state === "open" ? rowRetryMs : false),
  });
  return (
    <Waterfall spans={data === undefined ? [] : spansOf(data)}>
      <p className="mb-2 flex flex-wrap gap-x-4">
        <span>{fill(words.firstToken, { duration: duration(run.firstMs) })}</span>
        <span>{fill(words.total, { duration: duration(run.totalMs) })}</span>
        {data === undefined ? null : <Money amount={data.cost ?? data.price} />}
        {data?.provider ? (
          <span className="break-all text-muted">{`${data.provider}/${data.upstream_model}`}</span>
        ) : null}
        {requestId === null ? null : (
          <PlaceLink to="/requests" search={{ open: requestId }}>
            {words.openRequest}
          </PlaceLink>
        )}
      </p>
    </Waterfall>
  );
}

interface ConversationProps {
  readonly title: string | null;
  readonly conversation: Conversation;
  readonly reply: (messages: readonly Message[]) => void;
  /** Puts an image of an answer into the next message. */
  readonly use: (url: string) => void;
}

export function ConversationView({ title, conversation, reply, use }: ConversationProps) {
  const { messages, answer, run, error } = conversation;
  const all = answer === null ? messages : [...messages, { role: "assistant" as const, parts: answer }];
  return (
    <section aria-label={title ?? words.answer} className="min-w-0">
      {title === null ? null : <h2 className="mb-1 truncate font-semibold">{title}</h2>}
      {all.length === 0 ? <Empty>{words.empty}</Empty> : <Messages messages={all} isBusy={answer !== null} use={use} />}
      {error === null ? null : <Failure error={error} />}
      {answer === null ? <Results messages={messages} send={(message) => reply([...messages, message])} /> : null}
      {run === null || run.totalMs === null ? null : <Result run={run} />}
    </section>
  );
}
