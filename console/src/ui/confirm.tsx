// Buttons for acts that cannot be undone: the name of the thing is typed first.
import { type ReactNode, useState } from "react";
import { Button } from "./basics.tsx";
import { Popup } from "./drawer.tsx";
import { Field, Form } from "./form.tsx";

interface ConfirmNameProps {
  readonly label: string;
  /** The act with what it is done to, for assistive software and as the title of the question. */
  readonly title: string;
  readonly note: string;
  /** What has to be typed, and what it is. */
  readonly name: string;
  readonly field: string;
  readonly act: () => Promise<unknown>;
  /** `quiet` in rows of a table. */
  readonly look?: "danger" | "quiet" | "plain";
  /** What else can be done, between the note and the field. */
  readonly children?: (close: () => void) => ReactNode;
}

/** The act is done once the name has been typed; an error of the act stays in the dialog. */
export function ConfirmName({ label, title, note, name, field, act, look = "danger", children }: ConfirmNameProps) {
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
      <Button look={look} aria-label={title} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Popup title={title} isOpen={isOpen} close={close}>
        <p className="mb-2">{note}</p>
        {children?.(close)}
        <Form submit={submit} label={label} cancel={close} isDangerous>
          {() => <Field label={field} value={typed} change={setTyped} hint={name} isRequired />}
        </Form>
      </Popup>
    </>
  );
}
