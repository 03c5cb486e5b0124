// Forms: a label above each field, and what is wrong beside it.
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { ApiError } from "../data/gateway.ts";
import { type Attributes, attributesOf, browserFault, type FieldRule, ruleFault } from "../data/rules.ts";
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

type ControlElement = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What a rule forbids is explained after an attempt to send. Until it is corrected, the browser does not send the form. */
function useFault(rule: FieldRule, value: string, type: string) {
  // The value that the browser refused first; null before an attempt to send.
  const [refused, setRefused] = useState<string | null>(null);
  const fault = ruleFault(rule, value);
  const check = {
    ref: (element: ControlElement | null) => element?.setCustomValidity(fault ?? ""),
    onInvalid: (event: FormEvent<ControlElement>) => {
      event.preventDefault();
      setRefused(value);
      const first = event.currentTarget.form?.querySelector<HTMLElement>(
        "input:invalid, select:invalid, textarea:invalid",
      );
      first?.focus();
      // With room for the sentence below it.
      first?.scrollIntoView({ block: "center" });
    },
  };
  const shown = refused === null ? undefined : (fault ?? (refused === value ? browserFault(type) : undefined));
  return [check, shown] as const;
}

interface ControlProps extends Pick<FieldProps, "options" | "rows" | "suggestions" | "placeholder" | "autoComplete"> {
  readonly common: { readonly id: string } & ReturnType<typeof useFault>[0] & Record<string, unknown>;
  readonly bounds: Attributes;
  readonly isReadOnly?: boolean;
}

/** The select, text area or input itself. */
function Control({ common, bounds, ...field }: ControlProps) {
  if (field.options !== undefined)
    return (
      <select {...common}>
        {field.options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    );
  const { maxLength } = bounds;
  if (field.rows !== undefined)
    return <textarea {...common} maxLength={maxLength} rows={field.rows} placeholder={field.placeholder} />;
  const list = field.suggestions === undefined ? {} : { list: `${common.id}-list` };
  return (
    <>
      <input
        {...common}
        {...list}
        {...bounds}
        autoComplete={field.autoComplete ?? "off"}
        readOnly={field.isReadOnly}
        spellCheck={false}
        placeholder={field.placeholder}
      />
      {field.suggestions === undefined ? null : (
        <datalist id={`${common.id}-list`}>
          {field.suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}

export function Field({ label, value, change, hint, error: refusal, ...field }: FieldProps) {
  const id = useId();
  const isRequired = field.isRequired ?? field.rule?.isRequired ?? false;
  const rule = { ...field.rule, isRequired };
  const bounds = { type: field.type ?? "text", ...attributesOf(rule) };
  const [check, fault] = useFault(rule, value, bounds.type);
  const error = fault ?? refusal;
  const common = {
    ...{ id, value, ...check },
    className: "control w-full",
    required: isRequired,
    "aria-invalid": error !== undefined,
    "aria-describedby": hint === undefined && error === undefined ? undefined : `${id}-note`,
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  return (
    <div className={joined("flex min-w-0 flex-col gap-1", field.className)}>
      <label htmlFor={id} className="text-muted">
        {label}
      </label>
      <Control {...{ common, bounds }} {...field} />
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
