// Buttons for acts that cannot be undone: a second click on a button that names the act does it, or the name of the
// thing is typed first.
import { useState } from "react";
import { texts } from "../texts.ts";
import { Button } from "./basics.tsx";
import { Popup } from "./drawer.tsx";
import { Field, Form } from "./form.tsx";

interface ConfirmProps {
  readonly label: string;
  /** What the act does, on the second button. */
  readonly question: string;
  readonly act: () => void;
}

export function Confirm({ label, question, act }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <Button look="danger" onClick={() => setOpen(true)}>
        {label}
      </Button>
    );
  const confirm = () => {
    setOpen(false);
    act();
  };
  return (
    <span className="inline-flex flex-wrap gap-2">
      <Button look="danger" onClick={confirm}>
        {question}
      </Button>
      <Button onClick={() => setOpen(false)}>{texts.common.cancel}</Button>
    </span>
  );
}

interface ConfirmNameProps {
  readonly label: string;
  /** The act with what it is done to, for assistive software and as the title of the question. */
  readonly title: string;
  readonly note: string;
  /** What has to be typed, and what it is. */
  readonly name: string;
  readonly field: string;
  readonly act: () => Promise<unknown>;
  readonly isQuiet?: boolean;
}

/** The act is done once the name has been typed; an error of the act stays in the dialog. */
export function ConfirmName({ label, title, note, name, field, act, isQuiet = false }: ConfirmNameProps) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const close = () => {
    setOpen(false);
    setTyped("");
  };
  const submit = async () => {
    if (typed.trim() !== name) throw new Error(note);
    await act();
    close();
  };
  return (
    <>
      <Button {...(isQuiet ? { look: "quiet" } : {})} aria-label={title} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Popup title={title} isOpen={isOpen} close={close}>
        <p className="mb-2">{note}</p>
        <Form submit={submit} label={label} cancel={close} isDangerous>
          {() => <Field label={field} value={typed} change={setTyped} hint={name} isRequired />}
        </Form>
      </Popup>
    </>
  );
}
