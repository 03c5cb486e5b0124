// The sign-in page: email and password, a key, an OpenID provider, the token of a one-time link, or an invite.
import { lazy, Suspense, useEffect, useState } from "react";
import { base, call, may, type Session, signIn } from "../data/api.ts";
import { fill, texts } from "../texts.ts";
import { Button } from "../ui/basics.tsx";
import { Field, Form } from "../ui/form.tsx";
import { Failure, Skeleton } from "../ui/states.tsx";
import { Entrance } from "./entrance.tsx";

const words = texts.signIn;
const Accept = lazy(() => import("./invite.tsx").then((page) => ({ default: page.Accept })));
const Setup = lazy(() => import("./invite.tsx").then((page) => ({ default: page.Setup })));

interface Methods {
  readonly password: boolean;
  readonly oidc?: { readonly name: string; readonly path: string } | null;
}

interface Done {
  readonly done: (session: Session) => void;
}

const names = ["token", "invite", "sign_in_error"] as const;

/** Whether the address has something for this page after `#`. */
export const hasArrival = (): boolean => names.some((name) => location.hash.startsWith(`#${name}=`));

/** What follows `#`, which is removed from the address. */
function takeArrival(): Readonly<Record<(typeof names)[number], string | null>> {
  const given = new URLSearchParams(location.hash.slice(1));
  if (hasArrival()) history.replaceState(null, "", location.pathname + location.search);
  return { token: given.get("token"), invite: given.get("invite"), sign_in_error: given.get("sign_in_error") };
}

function errorOf(code: string, provider: string): string {
  const errors: Readonly<Record<string, string>> = words.oidcErrors;
  return fill(Object.hasOwn(errors, code) ? (errors[code] ?? "") : words.oidcErrors.denied, { name: provider });
}

function WithPassword({ done }: Done) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  return (
    <Form label={words.submit} submit={async () => done(await signIn({ email: email.trim(), password }))}>
      {() => (
        <>
          <Field label={words.email} type="email" value={email} change={setEmail} autoComplete="username" isRequired />
          <Field
            label={words.password}
            type="password"
            value={password}
            change={setPassword}
            hint={words.forgotten}
            autoComplete="current-password"
            isRequired
          />
        </>
      )}
    </Form>
  );
}

function WithKey({ done }: Done) {
  const [key, setKey] = useState("");
  return (
    <Form label={words.submit} submit={async () => done(await signIn({ key: key.trim() }))}>
      {() => <Field label={words.key} type="password" value={key} change={setKey} hint={words.help} isRequired />}
    </Form>
  );
}

/** Goes there by a plain link, because the provider's page takes the place of this one. */
function WithProvider({ name, path }: { readonly name: string; readonly path: string }) {
  const to = encodeURIComponent(location.pathname.slice(new URL(`${base}/console`).pathname.length) + location.search);
  return (
    <a
      className="mb-4 flex min-h-10 items-center justify-center rounded-md border border-accent bg-accent px-2.5 text-on-accent hover:opacity-90"
      href={`${base}/${path}?return_to=${to}`}
    >
      {fill(words.with, { name })}
    </a>
  );
}

function SignInForm({ done, error, methods }: Done & { readonly error: string | null; readonly methods: Methods }) {
  const [usesKey, setUsesKey] = useState(!methods.password);
  const { oidc = null } = methods;
  return (
    <Entrance title={words.title} {...(usesKey ? { lead: words.lead } : {})}>
      {error === null ? null : (
        <div className="mb-3">
          <Failure error={error} />
        </div>
      )}
      {oidc === null ? null : <WithProvider {...oidc} />}
      {usesKey ? <WithKey done={done} /> : <WithPassword done={done} />}
      {methods.password ? (
        <Button look="quiet" className="-ml-2.5 mt-3 text-muted" onClick={() => setUsesKey(!usesKey)}>
          {usesKey ? words.withPassword : words.withKey}
        </Button>
      ) : null}
    </Entrance>
  );
}

export function SignIn({ done }: Done) {
  const [{ token, invite, sign_in_error: code }] = useState(takeArrival);
  const [methods, setMethods] = useState<Methods | null>(null);
  const [linkFailed, setLinkFailed] = useState(false);
  const [setup, setSetup] = useState<Session | null>(null);
  useEffect(() => {
    const requested = call<Methods>("sign-in").catch((): Methods => ({ password: false }));
    void requested.then(setMethods);
    if (token === null) return;
    const entered = async (session: Session) => {
      const { password, oidc = null } = await requested;
      if (password || oidc !== null || !may(session, "users", "create")) done(session);
      else setSetup(session);
    };
    takeOnce(token).then(entered, () => setLinkFailed(true));
  }, [done, token]);
  if (invite !== null || setup !== null)
    return (
      <Suspense fallback={<Skeleton />}>
        {setup !== null ? <Setup session={setup} done={done} /> : <Accept invite={invite ?? ""} done={done} />}
      </Suspense>
    );
  if (methods === null || (token !== null && !linkFailed)) return <Skeleton />;
  const failure = code === null ? null : errorOf(code, methods.oidc?.name ?? "OpenID Connect");
  return <SignInForm done={done} error={linkFailed ? words.linkFailed : failure} methods={methods} />;
}

let taken: { readonly token: string; readonly session: Promise<Session> } | undefined;

/** A token signs in once, however often the effect runs. */
function takeOnce(token: string): Promise<Session> {
  if (taken?.token !== token) taken = { token, session: signIn({ token }) };
  return taken.session;
}
