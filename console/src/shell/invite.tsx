// The pages on which a user sets a password: after an invite, and as the first owner.
import { useEffect, useRef, useState } from "react";
import { call, type Session, signIn } from "../data/api.ts";
import { fill, texts } from "../texts.ts";
import { Button } from "../ui/basics.tsx";
import { Field, Form } from "../ui/form.tsx";
import { Failure, Skeleton } from "../ui/states.tsx";
import { Entrance } from "./entrance.tsx";

const words = texts.signIn;

interface PasswordProps {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

function NewPassword(props: PasswordProps) {
  return (
    <Field
      {...props}
      label={words.newPassword}
      type="password"
      hint={words.passwordHint}
      autoComplete="new-password"
      isRequired
    />
  );
}

/** The token in an invite link. */
const tokenOf = (url: string): string => url.slice(url.indexOf("#invite=") + "#invite=".length);

interface Invite {
  readonly email: string;
}

export function Accept({ invite, done }: { readonly invite: string; readonly done: (session: Session) => void }) {
  const [shown, setShown] = useState<Invite | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [password, setPassword] = useState("");
  useEffect(() => {
    call<Invite>("invite", { body: { invite } }).then(setShown, setError);
  }, [invite]);
  if (error !== null)
    return (
      <Entrance title={words.invite}>
        <Failure error={error} />
        <Button className="mt-3" onClick={() => location.reload()}>
          {words.submit}
        </Button>
      </Entrance>
    );
  if (shown === null) return <Skeleton />;
  return (
    <Entrance title={words.invite} lead={fill(words.inviteLead, { email: shown.email })}>
      <Form label={words.accept} fields={["password"]} submit={async () => done(await signIn({ invite, password }))}>
        {(errorOf) => (
          <>
            <input type="email" autoComplete="username" value={shown.email} readOnly hidden />
            <NewPassword value={password} change={setPassword} error={errorOf("password")} />
          </>
        )}
      </Form>
    </Entrance>
  );
}

interface SetupProps {
  /** The one of the link, which may create users. */
  readonly session: Session;
  readonly done: (session: Session) => void;
}

export function Setup({ session, done }: SetupProps) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  // A password that is refused is sent again for the same user.
  const created = useRef<{ readonly email: string; readonly invite: string } | null>(null);
  const submit = async () => {
    const mail = email.trim();
    if (created.current?.email !== mail) {
      const body = { email: mail, role: "owner" };
      const { invite_url: url } = await call<{ invite_url: string }>("users", { body });
      created.current = { email: mail, invite: tokenOf(url) };
    }
    done(await signIn({ invite: created.current.invite, password }));
  };
  return (
    <Entrance title={words.setup} lead={words.setupLead}>
      <Form label={words.createOwner} fields={["email", "password"]} submit={submit}>
        {(errorOf) => (
          <>
            <Field
              label={words.email}
              type="email"
              value={email}
              change={setEmail}
              error={errorOf("email")}
              autoComplete="username"
              isRequired
            />
            <NewPassword value={password} change={setPassword} error={errorOf("password")} />
          </>
        )}
      </Form>
      <Button look="quiet" className="-ml-2.5 mt-3 text-muted" onClick={() => done(session)}>
        {words.skip}
      </Button>
    </Entrance>
  );
}
