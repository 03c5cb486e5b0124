// The signed-in user changes their own password.
import { useState } from "react";
import { call } from "../../data/api.ts";
import { texts } from "../../texts.ts";
import { Button } from "../../ui/basics.tsx";
import { Popup } from "../../ui/drawer.tsx";
import { Field, Form } from "../../ui/form.tsx";

const words = texts.settings;

const empty = { current: "", password: "", again: "" };

function PasswordForm({ email, done, cancel }: { readonly email: string; done: () => void; cancel: () => void }) {
  const [values, setValues] = useState(empty);
  const set = (name: keyof typeof empty) => (value: string) => setValues({ ...values, [name]: value });
  const isSame = values.password === values.again;
  const submit = async () => {
    if (!isSame) throw new Error(words.passwordsDiffer);
    await call("session/password", { body: { current_password: values.current, password: values.password } });
    done();
  };
  const differ = !isSame && values.again.length >= values.password.length ? words.passwordsDiffer : undefined;
  return (
    <Form label={words.changePassword} fields={["current_password", "password"]} submit={submit} cancel={cancel}>
      {(errorOf) => (
        <>
          <input type="email" autoComplete="username" value={email} readOnly hidden />
          <Field
            {...{ label: words.currentPassword, type: "password", value: values.current, change: set("current") }}
            error={errorOf("current_password")}
            autoComplete="current-password"
            isRequired
          />
          <Field
            {...{ label: texts.signIn.newPassword, type: "password", value: values.password, change: set("password") }}
            hint={texts.signIn.passwordHint}
            error={errorOf("password")}
            autoComplete="new-password"
            isRequired
          />
          <Field
            {...{ label: words.repeatPassword, type: "password", value: values.again, change: set("again") }}
            error={differ}
            autoComplete="new-password"
            isRequired
          />
        </>
      )}
    </Form>
  );
}

export function OwnPassword({ email }: { readonly email: string }) {
  const [state, setState] = useState<"closed" | "open" | "done">("closed");
  const close = () => setState("closed");
  return (
    <>
      <Button onClick={() => setState("open")}>{words.changePassword}</Button>
      <Popup title={words.changePassword} isOpen={state !== "closed"} close={close}>
        {state === "done" ? (
          <p role="status">{words.passwordChanged}</p>
        ) : (
          <PasswordForm email={email} done={() => setState("done")} cancel={close} />
        )}
      </Popup>
    </>
  );
}
