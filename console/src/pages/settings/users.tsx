// Users: list, invite, change the role, disable and delete; below them the sessions.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { base, call, listAll } from "../../data/api.ts";
import { formRules } from "../../data/form-rules.ts";
import { type User, userRoles } from "../../data/types.ts";
import { useSearch } from "../../data/url.ts";
import { fill, texts } from "../../texts.ts";
import { Button, Code, Mark, Time, type Tone } from "../../ui/basics.tsx";
import { ConfirmName } from "../../ui/confirm.tsx";
import { Drawer, Popup } from "../../ui/drawer.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { Empty, Failure, Loaded } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Sessions } from "./sessions.tsx";

const words = texts.users;
const allowed = formRules.users;
const roleOptions = userRoles.map((role) => [role, words.roles[role]] as const);

/** The link under the address that this page was loaded from. */
const linkOf = (url: string): string => `${base}/console${new URL(url, location.href).hash}`;

interface Link {
  readonly email: string;
  readonly url: string;
}

type Made = User & { readonly invite_url: string };

const isExpired = ({ invite_expires_at: at }: User): boolean => at === null || Date.parse(at) < Date.now();

function Status({ user }: { readonly user: User }) {
  const status = user.status === "invited" && isExpired(user) ? "expired" : user.status;
  const tones: Readonly<Record<typeof status, Tone>> = {
    ...{ active: "ok", invited: "neutral", expired: "warning", disabled: "failing" },
  };
  return <Mark tone={tones[status]}>{words.status[status]}</Mark>;
}

const columns: readonly Column<User>[] = [
  { id: "email", title: words.columns.email, value: ({ email }) => email, cell: ({ email }) => email },
  {
    id: "name",
    title: words.columns.name,
    value: ({ name }) => name,
    cell: ({ name, email }) => (name === email ? "–" : name),
  },
  { id: "role", title: words.columns.role, value: ({ role }) => role, cell: ({ role }) => role },
  { id: "status", title: words.columns.status, value: ({ status }) => status, cell: (user) => <Status user={user} /> },
  {
    id: "used",
    title: words.columns.used,
    value: (user) => user.last_sign_in_at ?? "",
    cell: (user) => <Time iso={user.last_sign_in_at} />,
  },
];

function InviteForm({ done, cancel }: { readonly done: (link: Link) => void; readonly cancel: () => void }) {
  const queries = useQueryClient();
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState("developer");
  const submit = async () => {
    const named = name.trim() === "" ? {} : { name: name.trim() };
    const made = await call<Made>("users", { body: { email: email.trim(), role, ...named } });
    await queries.invalidateQueries({ queryKey: ["users"] });
    done({ email: made.email, url: linkOf(made.invite_url) });
  };
  return (
    <Form submit={submit} label={words.invite} cancel={cancel} fields={["email", "name", "role"]}>
      {(errorOf) => (
        <>
          <Field
            {...{ label: words.email, type: "email", value: email, change: setEmail }}
            rule={allowed.email}
            error={errorOf("email")}
          />
          <Field
            label={words.name}
            value={name}
            change={setName}
            error={errorOf("name")}
            hint={words.optional}
            rule={allowed.name}
          />
          <Field label={words.role} value={role} change={setRole} options={roleOptions} error={errorOf("role")} />
        </>
      )}
    </Form>
  );
}

/** Changes a user; the list follows. */
function useChange({ id, version }: User) {
  const queries = useQueryClient();
  return async <Reply,>(verb: string, given: { method?: string; body?: unknown; ifMatch?: number }): Promise<Reply> => {
    const reply = await call<Reply>(`users/${id}${verb}`, { ifMatch: version, ...given });
    await Promise.all(["users", "sessions"].map((name) => queries.invalidateQueries({ queryKey: [name] })));
    return reply;
  };
}

function Delete({ user, done }: { readonly user: User; readonly done: () => void }) {
  const change = useChange(user);
  const act = async () => {
    await change("", { method: "DELETE" });
    done();
  };
  return (
    <ConfirmName
      {...{ label: words.delete, title: `${words.delete} ${user.email}`, note: words.deleteNote }}
      {...{ name: user.email, field: words.email, act }}
    />
  );
}

interface DetailProps {
  readonly user: User;
  readonly invited: (link: Link) => void;
  readonly close: () => void;
}

function Actions({ user, invited, close }: DetailProps) {
  const change = useChange(user);
  const [error, setError] = useState<unknown>(null);
  const isDisabled = user.status === "disabled";
  const invite = () =>
    change<Made>("/invite", { body: {} }).then(
      (made) => invited({ email: made.email, url: linkOf(made.invite_url) }),
      setError,
    );
  const run = (verb: string, given: { method?: string; body?: unknown }) =>
    void change(verb, given).then(() => setError(null), setError);
  const setDisabled = (disabled: boolean) => run("", { method: "PATCH", body: { disabled } });
  return (
    <div className="flex flex-wrap gap-2">
      {isDisabled || user.sign_in === "oidc" ? null : (
        <Button title={words.newInviteNote} onClick={() => void invite()}>
          {words.newInvite}
        </Button>
      )}
      {user.invite_expires_at === null ? null : (
        <Button onClick={() => run("/revoke-invite", { method: "POST" })}>{words.revokeInvite}</Button>
      )}
      <Button onClick={() => setDisabled(!isDisabled)}>{isDisabled ? words.enable : words.disable}</Button>
      <Delete user={user} done={close} />
      {error === null ? null : <Failure error={error} />}
    </div>
  );
}

function Detail(props: DetailProps) {
  const { user } = props;
  const change = useChange(user);
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState<string>(user.role);
  const save = async () => {
    const roles = user.sign_in === "oidc" ? {} : { role };
    await change("", { method: "PATCH", body: { name: name.trim(), ...roles } });
  };
  return (
    <div className="flex flex-col gap-4">
      <Status user={user} />
      <Form submit={save} label={texts.common.save} fields={["name", "role"]}>
        {(errorOf) => (
          <>
            <Field
              {...{ label: words.name, value: name, change: setName, rule: allowed.name, isRequired: true }}
              error={errorOf("name")}
            />
            {user.sign_in === "oidc" ? (
              <p className="text-muted">{words.fromProvider}</p>
            ) : (
              <Field label={words.role} value={role} change={setRole} options={roleOptions} error={errorOf("role")} />
            )}
          </>
        )}
      </Form>
      <Actions {...props} />
    </div>
  );
}

function InviteLink({ link, close }: { readonly link: Link | null; readonly close: () => void }) {
  return (
    <Popup title={words.linkTitle} isOpen={link !== null} close={close}>
      <p className="mb-2">{fill(words.linkNote, { email: link?.email ?? "" })}</p>
      <Code label={words.linkTitle}>{link?.url ?? ""}</Code>
    </Popup>
  );
}

export function Users() {
  const [search, change] = useSearch();
  const [link, setLink] = useState<Link | null>(null);
  const query = useQuery({ queryKey: ["users"], queryFn: () => listAll<User>("users") });
  const open = query.data?.find(({ id }) => id === search["open"]);
  const close = () => change({ open: undefined, add: undefined });
  const invite = (
    <Button look="main" onClick={() => change({ add: "1" }, true)}>
      {words.invite}
    </Button>
  );
  const invited = (made: Link) => {
    close();
    setLink(made);
  };
  return (
    <>
      <Loaded query={query} isEmpty={(rows) => rows.length === 0} empty={<Empty action={invite}>{words.empty}</Empty>}>
        {(rows) => (
          <>
            <div className="mb-2 flex justify-end">{invite}</div>
            <Table
              name="users"
              label={words.list}
              columns={columns}
              rows={rows}
              idOf={({ id }) => id}
              open={({ id }) => change({ open: id }, true)}
            />
          </>
        )}
      </Loaded>
      <Sessions />
      <Popup title={words.invite} isOpen={search["add"] !== undefined} close={close}>
        <InviteForm done={invited} cancel={close} />
      </Popup>
      {open === undefined ? null : (
        <Drawer title={open.email} isOpen close={close}>
          <Detail key={open.version} user={open} invited={invited} close={close} />
        </Drawer>
      )}
      <InviteLink link={link} close={() => setLink(null)} />
    </>
  );
}
