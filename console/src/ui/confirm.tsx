// A button for an act that cannot be undone: the second click, on a button that names the act, does it.
import { useState } from "react";
import { texts } from "../texts.ts";
import { Button } from "./basics.tsx";

interface ConfirmProps {
  /** What is seen; `name` is what assistive software reads in its place. */
  readonly label: string;
  readonly name?: string;
  /** What the act does, on the second button. */
  readonly question: string;
  readonly act: () => void;
  readonly isQuiet?: boolean;
}

export function Confirm({ label, name, question, act, isQuiet = false }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <Button
        look={isQuiet ? "quiet" : "danger"}
        {...(name === undefined ? {} : { "aria-label": name })}
        onClick={() => setOpen(true)}
      >
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
