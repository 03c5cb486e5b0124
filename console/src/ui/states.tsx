// The states of a list that is not there: loading, empty and failed; and what is cut.
import type { ReactNode } from "react";
import { ApiError } from "../data/gateway.ts";
import { fill, texts } from "../texts.ts";
import { Button, Id, Mark } from "./basics.tsx";

/** Rows in the layout that the real ones will have. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label={texts.common.loading} className="divide-y divide-line">
      {Array.from({ length: rows }, (_, at) => at).map((at) => (
        <div key={at} className="flex h-8 items-center gap-4 px-2">
          <div className="h-3 w-24 rounded bg-sunken" />
          <div className="h-3 flex-1 rounded bg-sunken" />
          <div className="h-3 w-16 rounded bg-sunken" />
        </div>
      ))}
    </div>
  );
}

/** Why there is nothing, and the one next action. */
export function Empty({ children, action }: { readonly children: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-10 text-center text-muted">
      <p>{children}</p>
      {action}
    </div>
  );
}

export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 rounded-md border border-line p-3">
      <Mark tone="failing">
        <span className="whitespace-normal text-text">{message}</span>
      </Mark>
      {requestId === null ? null : (
        <span className="text-muted">
          {texts.common.requestId} <Id id={requestId} />
        </span>
      )}
      {retry === undefined ? null : <Button onClick={retry}>{texts.common.retry}</Button>}
    </div>
  );
}

export function TooMuch({
  text,
  values,
}: {
  readonly text: string;
  readonly values: Readonly<Record<string, string | number>>;
}) {
  return <p className="px-2 py-2 text-muted">{fill(text, values)}</p>;
}

interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  refetch(): unknown;
}

/** Shows what a query has, or the state that it is in. */
export function Loaded<Data>({
  query,
  isEmpty,
  empty,
  children,
}: {
  readonly query: Query<Data>;
  readonly isEmpty?: (data: Data) => boolean;
  readonly empty?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const { data, error } = query;
  if (data === undefined && error) return <Failure error={error} retry={() => void query.refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (isEmpty?.(data) === true) return <>{empty}</>;
  return <>{children(data)}</>;
}
