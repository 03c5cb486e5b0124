// One request: its path in one line, the waterfall, why, the cost term by term, what was changed, and stored bodies.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, call } from "../../data/api.ts";
import { duration, money } from "../../data/format.ts";
import { termsOf } from "../../data/price-terms.ts";
import { useKeyNames } from "../../data/queries.ts";
import type { RequestRow } from "../../data/types.ts";
import { reasonsOf, spansOf } from "../../data/waterfall.ts";
import { fill, texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button, CopyButton, Id, Mark, Money, Section, Time } from "../../ui/basics.tsx";
import { Drawer } from "../../ui/drawer.tsx";
import { PlaceLink } from "../../ui/place-link.tsx";
import { Empty, Failure, Loaded } from "../../ui/states.tsx";
import { codeOf } from "../playground/code.ts";
import type { Chat } from "../playground/message.ts";
import { formatOfRow } from "../playground/stored-request.ts";
import { Bodies } from "./bodies.tsx";
import { cancelRequest, isRunning } from "./cancel.ts";
import { curlOf } from "./curl.ts";
import { Waterfall } from "./waterfall.tsx";

const words = texts.requests;
const cost = words.costTexts;

function Cost({ row }: { readonly row: RequestRow }) {
  const version = row.cost_version ?? row.price_version;
  const terms = termsOf(row);
  const isUnknown = row.charged && row.terms === null && typeof row.cost_version === "string";
  const rule = row.price_rule ?? null;
  const notes = [
    typeof version === "string" ? fill(cost.book, { version }) : cost.noBook,
    ...(isUnknown ? [cost.notStored] : []),
    row.estimated ? cost.counted : cost.reported,
    ...(row.charged ? [] : [cost.notCharged]),
  ];
  const values = { factor: String(Number(rule?.factor)), fee: money(rule?.per_request ?? null) };
  return (
    <div className="flex flex-col gap-1">
      <p>
        {terms.length === 0 ? cost.noTokens : terms.join(" + ")}
        {" = "}
        <strong>
          <Money amount={row.cost ?? row.price} />
        </strong>
      </p>
      <p className="text-muted">{notes.join(" ")}</p>
      {row.cost !== undefined && row.cost !== null ? (
        <p>
          {cost.price} <Money amount={row.price} /> {rule === null ? "" : fill(cost.rule, values)}
        </p>
      ) : null}
    </div>
  );
}

function Facts({ row }: { readonly row: RequestRow }) {
  const names = useKeyNames();
  const facts: Readonly<Record<keyof typeof words.factNames, string | null>> = {
    key: names.get(row.key_id) ?? row.key_id,
    project: row.project_id,
    endUser: row.end_user,
    session: row.session,
    operation: row.operation,
    format: row.format,
    stream: row.stream ? words.yes : words.no,
    credential: row.credential,
    errorCode: row.error_code,
    replayOf: row.replay_of,
  };
  return (
    <dl className="grid grid-cols-[8rem_1fr] gap-y-1">
      {Object.entries(words.factNames).map(([name, title]) => {
        const value = facts[name as keyof typeof facts];
        return value === null ? null : (
          <div key={name} className="contents">
            <dt className="text-muted">{title}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        );
      })}
    </dl>
  );
}

function Detail({ row }: { readonly row: RequestRow }) {
  const isOk = row.state === "completed" || row.state === "replayed";
  const way = [row.format, row.model, row.provider === null ? null : `${row.provider}/${row.upstream_model}`];
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 font-medium">
        <span className="break-all">{way.filter((part) => part !== null).join(" → ")}</span>
        <Mark tone={isOk ? "ok" : isRunning(row.state) ? "neutral" : "failing"}>{row.status ?? row.state}</Mark>
        <span>{duration(row.duration_ms)}</span>
        <Money amount={row.cost ?? row.price} />
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-4 text-muted">
        <Time iso={row.created_at} />
        <Id id={row.id} length={24} />
        {row.request_id === null || row.request_id === row.id ? null : <Id id={row.request_id} length={24} />}
      </p>
      <Actions row={row} />
      <Waterfall spans={spansOf(row)} />
      <Section title={words.why}>
        <ul>
          {reasonsOf(row).map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      </Section>
      <Section title={words.cost}>
        <Cost row={row} />
      </Section>
      <Section title={words.changed}>
        <p className={row.warnings === null ? "text-muted" : undefined}>{row.warnings ?? words.nothingChanged}</p>
      </Section>
      <Section title={words.facts}>
        <Facts row={row} />
      </Section>
      <Allowed resource="requests" verb="bodies">
        <Section title={words.bodies}>
          <Bodies id={row.id} />
        </Section>
      </Allowed>
    </>
  );
}

/** Ends a request that is in progress. */
function Cancel({ id }: { readonly id: string }) {
  const [note, setNote] = useState("");
  const [error, setError] = useState<unknown>(null);
  const cancel = () => cancelRequest(id).then(setNote, setError);
  return (
    <span className="flex items-center gap-2">
      <Button onClick={() => void cancel()}>{words.cancel}</Button>
      <span role="status">{note}</span>
      {error === null ? null : <Failure error={error} />}
    </span>
  );
}

/** The model with a message to replace: the list does not have what was sent. */
const chatOf = ({ model }: RequestRow): Chat => ({
  ...{ model, system: "", tools: [], effort: "", output: "", temperature: null, maxTokens: null },
  messages: [{ role: "user", parts: [{ kind: "text", text: "Hello" }] }],
});

function Actions({ row }: { readonly row: RequestRow }) {
  const canReplay = row.operation === "chat" && !isRunning(row.state);
  return (
    <p className="mt-2 flex flex-wrap items-center gap-2">
      <Allowed resource="requests" verb="cancel">
        {isRunning(row.state) ? <Cancel id={row.id} /> : null}
      </Allowed>
      {canReplay ? (
        <PlaceLink to="/playground" search={{ request: row.id }}>
          {words.replay}
        </PlaceLink>
      ) : null}
      <CopyButton text={curlOf(row)} label={words.copyCurl} />
      {row.operation === "chat"
        ? (["python", "javascript"] as const).map((language) => (
            <CopyButton
              key={language}
              text={codeOf(formatOfRow(row), chatOf(row), language)}
              label={words.copyCode[language]}
            />
          ))
        : null}
    </p>
  );
}

export function RequestDrawer({ id, close }: { readonly id: string; readonly close: () => void }) {
  const query = useQuery({
    queryKey: ["request", id],
    queryFn: () => call<RequestRow>(`requests/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) => (["open", "pending"].includes(state.data?.state ?? "") ? 1_000 : false),
  });
  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  return (
    <Drawer title={words.detail} isOpen close={close}>
      {isMissing ? (
        <Empty>{words.notFound}</Empty>
      ) : query.error !== null && query.data === undefined ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loaded query={query}>{(row) => <Detail row={row} />}</Loaded>
      )}
    </Drawer>
  );
}
