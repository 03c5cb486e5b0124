// Forms: a label above each field, and what is wrong beside it.
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { ApiError } from "../data/gateway.ts";
import { type FieldRule, ruleFault } from "../data/rules.ts";
import { texts } from "../texts.ts";
import { Button, joined } from "./basics.tsx";
import { Failure } from "./states.tsx";

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly type?: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly options?: readonly (readonly [string, string])[];
  readonly rows?: number;
  readonly isRequired?: boolean;
  readonly className?: string;
  readonly placeholder?: string;
  readonly suggestions?: readonly string[];
  /** What a password manager fills in, as in HTML. */
  readonly autoComplete?: string;
  readonly isReadOnly?: boolean;
  /** What the admin API allows; the form is not sent with anything else. */
  readonly rule?: FieldRule;
}

/** What a rule forbids is explained after an attempt to send. Until it is corrected, the browser does not send the form. */
function useFault(rule: FieldRule | undefined, value: string) {
  const [isShown, setShown] = useState(false);
  const fault = rule === undefined ? undefined : ruleFault(rule, value);
  const check = {
    ref: (element: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | null) =>
      element?.setCustomValidity(fault ?? ""),
    onInvalid: (event: FormEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>) => {
      event.preventDefault();
      setShown(true);
      event.currentTarget.form?.querySelector<HTMLElement>("input:invalid, select:invalid, textarea:invalid")?.focus();
    },
  };
  return [rule === undefined ? {} : check, isShown ? fault : undefined] as const;
}

export function Field({
  label,
  value,
  change,
  type = "text",
  hint,
  error: refusal,
  options,
  rows,
  ...more
}: FieldProps) {
  const id = useId();
  const { rule } = more;
  const [check, fault] = useFault(rule, value);
  const error = fault ?? refusal;
  const common = {
    id,
    value,
    className: "control w-full",
    required: more.isRequired ?? rule?.isRequired,
    ...check,
    "aria-invalid": error !== undefined,
    "aria-describedby": hint === undefined && error === undefined ? undefined : `${id}-note`,
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  const list = more.suggestions === undefined ? {} : { list: `${id}-list` };
  return (
    <div className={joined("flex min-w-0 flex-col gap-1", more.className)}>
      <label htmlFor={id} className="text-muted">
        {label}
      </label>
      {options !== undefined ? (
        <select {...common}>
          {options.map(([option, title]) => (
            <option key={option} value={option}>
              {title}
            </option>
          ))}
        </select>
      ) : rows !== undefined ? (
        <textarea {...common} rows={rows} placeholder={more.placeholder} />
      ) : (
        <input
          {...common}
          {...list}
          inputMode={rule?.isWhole ? "numeric" : undefined}
          type={type}
          autoComplete={more.autoComplete ?? "off"}
          readOnly={more.isReadOnly}
          spellCheck={false}
          placeholder={more.placeholder}
        />
      )}
      {more.suggestions === undefined ? null : (
        <datalist id={`${id}-list`}>
          {more.suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      {hint === undefined && error === undefined ? null : (
        <p id={`${id}-note`} className={error === undefined ? "text-muted" : "text-failing"}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

/** What the gateway refused, by the field that it names. */
export function errorsOf(error: unknown): (param: string) => string | undefined {
  return (param) => {
    if (!(error instanceof ApiError) || error.param === null) return undefined;
    return error.param === param || error.param.startsWith(`${param}.`) || error.param.startsWith(`${param}[`)
      ? error.message
      : undefined;
  };
}

/** The browser asks before a page with such a form is left. */
const refuseToLeave = (event: BeforeUnloadEvent): void => {
  if (document.querySelector("form[data-unsaved]") !== null) event.preventDefault();
};

function markUnsaved({ currentTarget }: FormEvent<HTMLFormElement>): void {
  currentTarget.dataset["unsaved"] = "true";
  addEventListener("beforeunload", refuseToLeave);
}

function markSaved(form: HTMLFormElement): void {
  delete form.dataset["unsaved"];
}

/** True if a form of the page has unsaved changes that the person does not want to lose. */
export const refusesToLeave = (): boolean => !mayClose(document.documentElement);

/** False if a form within the element has unsaved changes that the person does not want to lose. */
export const mayClose = (element: Element | null): boolean =>
  element?.querySelector("form[data-unsaved]") == null || confirm(texts.common.unsaved);

interface FormProps {
  readonly submit: () => Promise<void>;
  readonly label: string;
  readonly cancel?: () => void;
  /** The act cannot be undone. */
  readonly isDangerous?: boolean;
  /** Fields that show their own errors. */
  readonly fields?: readonly string[];
  readonly children: (errorOf: (param: string) => string | undefined) => ReactNode;
}

export function Form({ submit, label, cancel, isDangerous = false, fields = [], children }: FormProps) {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const errorOf = errorsOf(error);
  const isShown = fields.some((field) => errorOf(field) !== undefined);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setError(null);
    void submit()
      .then(() => markSaved(form))
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={send} onInput={markUnsaved}>
      {children(errorOf)}
      {error !== null && !isShown ? <Failure error={error} /> : null}
      <div className="flex justify-end gap-2">
        {cancel === undefined ? null : <Button onClick={cancel}>{texts.common.cancel}</Button>}
        <Button look={isDangerous ? "danger" : "main"} type="submit" disabled={isBusy}>
          {label}
        </Button>
      </div>
    </form>
  );
}
