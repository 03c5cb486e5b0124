// One request: its path in one line, the waterfall, why, the cost term by term, what was changed, and stored bodies.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, call } from "../../data/api.ts";
import { duration } from "../../data/format.ts";
import { termsOf } from "../../data/price-terms.ts";
import { useKeyNames } from "../../data/queries.ts";
import type { RequestRow } from "../../data/types.ts";
import { shared, useSearch } from "../../data/url.ts";
import { reasonsOf, spansOf } from "../../data/waterfall.ts";
import { texts } from "../../texts.ts";
import { Allowed } from "../../ui/allowed.tsx";
import { Button, CopyButton, Id, Mark, Money, Section, Time } from "../../ui/basics.tsx";
import { Drawer } from "../../ui/drawer.tsx";
import { Empty, Failure, Loaded } from "../../ui/states.tsx";
import { codeOf } from "../playground/code.ts";
import type { Chat } from "../playground/message.ts";
import { formatOfRow } from "../playground/stored-request.ts";
import { Bodies } from "./bodies.tsx";
import { curlOf } from "./curl.ts";
import { Waterfall } from "./waterfall.tsx";

const words = texts.requests;

function Cost({ row }: { readonly row: RequestRow }) {
  const version = row.cost_version ?? row.price_version;
  const terms = termsOf(row);
  const isUnknown = row.charged && row.terms === null && typeof row.cost_version === "string";
  const rule = row.price_rule ?? null;
  return (
    <div className="flex flex-col gap-1">
      <p>
        {terms.length === 0 ? "No tokens were counted" : terms.join(" + ")}
        {" = "}
        <strong>
          <Money amount={row.cost ?? row.price} />
        </strong>
      </p>
      <p className="text-muted">
        {version === null || version === undefined ? "No price book applied." : `Price book ${version}.`}
        {isUnknown ? " Its prices are not stored here." : ""}
        {row.estimated ? " The gateway counted the tokens." : " The provider reported the tokens."}
        {row.charged ? "" : " The caller does not pay it."}
      </p>
      {row.cost !== undefined && row.cost !== null ? (
        <p>
          Price for the caller: <Money amount={row.price} />
          {rule === null ? "" : ` (cost × ${Number(rule.factor)} + `}
          {rule === null ? null : <Money amount={rule.per_request} />}
          {rule === null ? "" : " per request)"}
        </p>
      ) : null}
    </div>
  );
}

function Facts({ row }: { readonly row: RequestRow }) {
  const names = useKeyNames();
  const facts: readonly (readonly [string, string | null])[] = [
    ["Key", names.get(row.key_id) ?? row.key_id],
    ["Project", row.project_id],
    ["End user", row.end_user],
    ["Session", row.session],
    ["Operation", row.operation],
    ["Client format", row.format],
    ["Stream", row.stream ? "yes" : "no"],
    ["Credential", row.credential],
    ["Error code", row.error_code],
    ["Replay of", row.replay_of],
  ];
  return (
    <dl className="grid grid-cols-[8rem_1fr] gap-y-1">
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
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

const isRunning = (state: string): boolean => state === "open" || state === "pending";

/** Ends a request that is in progress. */
function Cancel({ id }: { readonly id: string }) {
  const [note, setNote] = useState("");
  const [error, setError] = useState<unknown>(null);
  const cancel = () =>
    call<{ readonly canceled: boolean }>(`requests/${encodeURIComponent(id)}/cancel`, { method: "POST" }).then(
      ({ canceled }) => setNote(canceled ? words.canceled : words.notInProgress),
      setError,
    );
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
  const [search] = useSearch();
  const canReplay = row.operation === "chat" && !isRunning(row.state);
  return (
    <p className="mt-2 flex flex-wrap items-center gap-2">
      <Allowed resource="requests" verb="cancel">
        {isRunning(row.state) ? <Cancel id={row.id} /> : null}
      </Allowed>
      {canReplay ? (
        <Link
          to="/playground"
          search={{ ...shared(search), request: row.id } as never}
          className="text-accent underline"
        >
          {words.replay}
        </Link>
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
