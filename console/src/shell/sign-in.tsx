// The sign-in page: a key, or the token of a one-time link.
import { useEffect, useState } from "react";
import { type Session, signIn } from "../data/api.ts";
import { texts } from "../texts.ts";
import { Field, Form } from "../ui/form.tsx";
import { Failure } from "../ui/states.tsx";

const words = texts.signIn;

/** The token after `#token=`, which is removed from the address. */
function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

export function SignIn({ done }: { readonly done: (session: Session) => void }) {
  const [key, setKey] = useState("");
  const [linkFailed, setLinkFailed] = useState(false);
  useEffect(() => {
    const token = takeToken();
    if (token !== null) signIn({ token }).then(done, () => setLinkFailed(true));
  }, [done]);
  return (
    <main className="grid min-h-full place-items-center p-4">
      <div className="w-full max-w-sm">
        <p className="mb-4 font-semibold text-muted">{texts.product}</p>
        <h1 className="font-semibold text-lg">{words.title}</h1>
        <p className="mb-4 text-muted">{words.lead}</p>
        {linkFailed ? (
          <div className="mb-3">
            <Failure error={words.linkFailed} />
          </div>
        ) : null}
        <Form label={words.submit} submit={async () => done(await signIn({ key: key.trim() }))}>
          {() => <Field label={words.key} type="password" value={key} change={setKey} hint={words.help} isRequired />}
        </Form>
      </div>
    </main>
  );
}
