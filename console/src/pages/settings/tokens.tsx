// Service tokens: list, create with scopes, revoke.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call, listAll } from "../../data/api.ts";
import { formRules } from "../../data/form-rules.ts";
import type { ServiceToken } from "../../data/types.ts";
import { texts } from "../../texts.ts";
import { Button, Code, Mark, Time } from "../../ui/basics.tsx";
import { ConfirmName } from "../../ui/confirm.tsx";
import { Popup } from "../../ui/drawer.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { Empty, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const words = texts.settings;

const rules = formRules.serviceTokens;

function CreateForm({ done, cancel }: { readonly done: (secret: string) => void; readonly cancel: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const submit = async () => {
    const { secret } = await call<{ secret: string }>("service-tokens", {
      body: { name: name.trim(), scopes: chosen },
    });
    await queries.invalidateQueries({ queryKey: ["service-tokens"] });
    done(secret);
  };
  const toggle = (scope: string) =>
    setChosen(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  return (
    <Form submit={submit} label={words.createToken} cancel={cancel} fields={["name"]}>
      {(errorOf) => (
        <>
          <Field label={texts.keys.form.name} value={name} change={setName} error={errorOf("name")} rule={rules.name} />
          <fieldset className="grid grid-cols-2 gap-x-3">
            <legend className="mb-1 text-muted">{words.scopes}</legend>
            {rules.scopes.enum.map((scope) => (
              <label key={scope} className="flex min-h-8 items-center gap-2">
                <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
                {scope}
              </label>
            ))}
          </fieldset>
        </>
      )}
    </Form>
  );
}

function Revoke({ token }: { readonly token: ServiceToken }) {
  const queries = useQueryClient();
  const revoke = async () => {
    await call(`service-tokens/${token.id}/revoke`, { method: "POST" });
    await queries.invalidateQueries({ queryKey: ["service-tokens"] });
  };
  return (
    <ConfirmName
      label={words.revoke}
      title={`${words.revoke} ${token.name}`}
      note={words.revokeNote}
      name={token.name}
      field={words.confirmToken}
      act={revoke}
      look="plain"
    />
  );
}

const columns: readonly Column<ServiceToken>[] = [
  { id: "name", title: words.tokenColumns.name, value: ({ name }) => name, cell: ({ name }) => name },
  {
    id: "scopes",
    title: words.tokenColumns.scopes,
    cell: (token) => <span title={token.scopes.join(", ")}>{token.scopes.join(", ")}</span>,
  },
  {
    id: "used",
    title: words.tokenColumns.used,
    value: (token) => token.last_used_at ?? "",
    cell: (token) => <Time iso={token.last_used_at} />,
  },
  {
    id: "state",
    title: words.tokenColumns.state,
    cell: (token) => (token.revoked_at === null ? <Mark tone="ok">active</Mark> : <Mark tone="failing">revoked</Mark>),
  },
  {
    id: "actions",
    title: texts.common.actions,
    cell: (token) => (token.revoked_at === null ? <Revoke token={token} /> : null),
  },
];

export function Tokens() {
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const query = useQuery({ queryKey: ["service-tokens"], queryFn: () => listAll<ServiceToken>("service-tokens") });
  const create = (
    <Button look="main" onClick={() => setOpen(true)}>
      {words.createToken}
    </Button>
  );
  const done = (made: string) => {
    setOpen(false);
    setSecret(made);
  };
  return (
    <>
      <Loaded
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={<Empty action={create}>{words.tokensEmpty}</Empty>}
      >
        {(rows) => (
          <>
            <div className="mb-2 flex justify-end">{create}</div>
            <Table name="tokens" label={words.tokens} columns={columns} rows={rows} idOf={({ id }) => id} />
          </>
        )}
      </Loaded>
      <Popup title={words.createToken} isOpen={isOpen} close={() => setOpen(false)}>
        <CreateForm done={done} cancel={() => setOpen(false)} />
      </Popup>
      <Popup title={texts.keys.secretTitle} isOpen={secret !== null} close={() => setSecret(null)}>
        <p className="mb-2">{texts.keys.secretNote}</p>
        <Code label={texts.keys.secretTitle}>{secret ?? ""}</Code>
      </Popup>
    </>
  );
}
