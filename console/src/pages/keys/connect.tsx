// Connect: pick a client, copy its settings, and see the first request arrive.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { base, call, listAll, type Page } from "../../data/api.ts";
import { useModels } from "../../data/queries.ts";
import type { Client, RequestRow } from "../../data/types.ts";
import { useSearch } from "../../data/url.ts";
import { texts } from "../../texts.ts";
import { Code, Mark } from "../../ui/basics.tsx";
import { Field } from "../../ui/form.tsx";
import { PlaceLink } from "../../ui/place-link.tsx";
import { Loaded } from "../../ui/states.tsx";

const words = texts.connect;
const pollMs = 1_500;

/** Asks for the newest request until one arrives that is newer than this page. */
function Arrival() {
  const [since] = useState(() => new Date().toISOString());
  const { data } = useQuery({
    queryKey: ["arrival", since],
    queryFn: () => call<Page<RequestRow>>(`requests?limit=1&since=${encodeURIComponent(since)}`),
    refetchInterval: ({ state }) => ((state.data?.data.length ?? 0) > 0 ? false : pollMs),
  });
  const first = data?.data[0];
  return (
    <p role="status" className="mt-3">
      {first === undefined ? (
        <span className="text-muted">{words.waiting}</span>
      ) : (
        <>
          <Mark tone={first.state === "failed" ? "failing" : "ok"}>{words.arrived}</Mark>{" "}
          <PlaceLink to="/requests" search={{ open: first.id }}>
            {texts.palette.openRequest}
          </PlaceLink>
        </>
      )}
    </p>
  );
}

/** The key that was just created, in memory only, so that it is in the settings at once. */
let created = "";

/** Uses this key when Connect is opened next. */
export function connectWith(key: string): void {
  created = key;
}

/** What the gateway writes in the place of a key: the key itself is never sent. */
const keyPlaceholder = "tp-your-key";

function useClients(model: string) {
  const filters = { url: base, model: useDeferredValue(model) };
  return useQuery({
    queryKey: ["clients", filters],
    queryFn: () => listAll<Client>("clients", filters),
    placeholderData: keepPreviousData,
  });
}

function Settings({ client, apiKey }: { readonly client: Client; readonly apiKey: string }) {
  return (
    <>
      {client.blocks.map(({ file, text, text_with_key: keyed }) => (
        <div key={file ?? ""}>
          {file === null ? null : (
            <p className="mb-1 text-muted">
              {words.file}: <code className="font-mono">{file}</code>
            </p>
          )}
          <Code label={file === null ? words.settings : `${words.settings}, ${file}`}>
            {(apiKey === "" ? text : keyed.replaceAll(keyPlaceholder, () => apiKey)).trimEnd()}
          </Code>
        </div>
      ))}
      {client.note === null ? null : <p className="text-muted">{client.note}</p>}
    </>
  );
}

export function Connect() {
  const [search, change] = useSearch();
  const { data: models = [] } = useModels();
  const [key, setKey] = useState(created);
  const [given, setModel] = useState<string | null>(null);
  const usual = models.find(({ kind }) => kind === "route")?.id ?? "sandbox/chat";
  const model = given ?? usual;
  const query = useClients(model === "" ? usual : model);
  return (
    <Loaded query={query}>
      {(clients) => {
        const chosen = clients.find(({ id }) => id === search["connect"]) ?? clients[0];
        return (
          <div className="flex flex-col gap-3">
            <Field
              label={words.client}
              value={chosen?.id ?? ""}
              change={(connect) => change({ connect })}
              options={clients.map(({ id, title }) => [id, title] as const)}
            />
            <Field label={words.model} value={model} change={setModel} suggestions={models.map(({ id }) => id)} />
            <Field label={words.key} value={key} change={setKey} hint={words.keyHint} />
            {chosen === undefined ? null : <Settings client={chosen} apiKey={key} />}
            <Arrival />
          </div>
        );
      }}
    </Loaded>
  );
}
