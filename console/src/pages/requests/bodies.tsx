// Stored bodies of a request, as text, and what the gateway changed between two of them.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../data/api.ts";
import { lineDiff, readable } from "../../data/line-diff.ts";
import { texts } from "../../texts.ts";
import { Button, Code, joined } from "../../ui/basics.tsx";
import { Loaded } from "../../ui/states.tsx";

const words = texts.requests;

interface StoredBody {
  readonly stage: string;
  readonly attempt: number | null;
  readonly provider: string | null;
  readonly size: number;
  readonly encoding: string;
  readonly body: string;
}

const nameOf = ({ stage, provider }: StoredBody): string =>
  [stage.replaceAll("_", " "), provider].filter(Boolean).join(", ");

const looks = { " ": "", "-": "bg-failing/15", "+": "bg-ok/15" } as const;

function Diff({ before, after }: { readonly before: StoredBody; readonly after: StoredBody }) {
  const [isOpen, setOpen] = useState(false);
  const title = words.changes.replace("{before}", nameOf(before)).replace("{after}", nameOf(after));
  const button = (
    <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
      {title}
    </Button>
  );
  if (!isOpen) return <div className="mb-2">{button}</div>;
  const lines = lineDiff(readable(before.body), readable(after.body));
  const isSame = lines?.every(({ mark }) => mark === " ") === true;
  return (
    <section aria-label={title} className="mb-2">
      {button}
      {lines === null || isSame ? (
        <p className="text-muted">{isSame ? words.same : words.tooLong}</p>
      ) : (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
          tabIndex={0}
          className="mt-1 max-h-96 overflow-auto rounded-md border border-line bg-sunken p-2.5 font-mono text-[12px]"
        >
          {lines.map(({ mark, text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines do not move
            <div key={at} className={joined("whitespace-pre-wrap wrap-anywhere", looks[mark])}>
              {`${mark} ${text}`}
            </div>
          ))}
        </pre>
      )}
    </section>
  );
}

/** What the client sent with what went to a provider, and what came back with what the client got. */
function pairsOf(bodies: readonly StoredBody[]): readonly (readonly [StoredBody, StoredBody])[] {
  const texts = bodies.filter(({ encoding }) => encoding === "text");
  const of = (stage: string) => texts.filter((each) => each.stage === stage);
  const last = of("upstream_response").at(-1);
  return [
    ...of("request").flatMap((before) => of("upstream_request").map((after) => [before, after] as const)),
    ...(last === undefined ? [] : of("response").map((after) => [last, after] as const)),
  ];
}

export function Bodies({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ["bodies", id],
    queryFn: () =>
      call<{ readonly bodies: readonly StoredBody[] }>(`requests/${encodeURIComponent(id)}/bodies`, { method: "POST" }),
    enabled: isOpen,
  });
  if (!isOpen)
    return (
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => setOpen(true)}>{words.loadBodies}</Button>
        <span className="text-muted">{words.bodiesNote}</span>
      </div>
    );
  return (
    <Loaded
      query={query}
      isEmpty={({ bodies }) => bodies.length === 0}
      empty={<p className="text-muted">{words.noBodies}</p>}
    >
      {({ bodies }) => (
        <>
          {bodies.map((each) => (
            <div key={`${each.stage} ${each.attempt}`} className="mb-2">
              <h3 className="mb-1 text-muted">{nameOf(each)}</h3>
              <Code label={each.stage}>{each.body}</Code>
            </div>
          ))}
          {pairsOf(bodies).map(([before, after]) => (
            <Diff key={`${before.stage} ${after.stage} ${after.attempt}`} before={before} after={after} />
          ))}
        </>
      )}
    </Loaded>
  );
}
