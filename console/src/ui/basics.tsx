// Small parts that every page uses: buttons, status marks, ids, times, money.
import { Check, CircleAlert, CircleDot, CircleX, Copy, Lock } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, useState } from "react";
import { exactMoney, exactTime, money, relative, shortId } from "../data/format.ts";
import { texts } from "../texts.ts";

export const joined = (...classes: readonly (string | false | undefined)[]): string =>
  classes.filter(Boolean).join(" ");

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { readonly look?: "plain" | "main" | "danger" | "quiet" };

const looks = {
  plain: "border border-line bg-page hover:bg-sunken",
  main: "border border-accent bg-accent text-on-accent hover:opacity-90",
  danger: "border border-failing text-failing hover:bg-sunken",
  quiet: "hover:bg-sunken",
} as const;

export function Button({ look = "plain", className, ...props }: ButtonProps) {
  const shape = "inline-flex min-h-8 items-center justify-center gap-1.5 whitespace-nowrap rounded-md px-2.5";
  return <button type="button" className={joined(shape, looks[look], className)} {...props} />;
}

export type Tone = "ok" | "warning" | "failing" | "neutral";

const toneClasses = { ok: "text-ok", warning: "text-warning", failing: "text-failing", neutral: "text-muted" } as const;
const toneIcons = { ok: Check, warning: CircleAlert, failing: CircleX, neutral: CircleDot } as const;

/** A word with a sign and a colour, so that the colour is never alone. */
export function Mark({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  const Icon = toneIcons[tone];
  return (
    <span className={joined("inline-flex items-center gap-1 whitespace-nowrap", toneClasses[tone])}>
      <Icon size={13} aria-hidden />
      {children}
    </span>
  );
}

/** Copies to the clipboard, also where pages without TLS may not use its interface. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

export function CopyButton({ text, label = texts.common.copy }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    copyText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    });
  return (
    <Button onClick={() => void copy()}>
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      <span aria-live="polite">{isCopied ? texts.common.copied : label}</span>
    </Button>
  );
}

/** Shortened in the middle, copied whole by a click. */
export function Id({ id, length = 16 }: { readonly id: string; readonly length?: number }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    copyText(id).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    });
  return (
    <button
      type="button"
      title={id}
      className="rounded px-1 font-mono text-[0.92em] hover:bg-sunken"
      onClick={() => void copy()}
    >
      <span aria-hidden>{isCopied ? texts.common.copied : shortId(id, length)}</span>
      <span className="sr-only">{`${texts.common.copy} ${id}`}</span>
    </button>
  );
}

export function Time({ iso }: { readonly iso: string | null }) {
  if (iso === null) return <span className="text-muted">–</span>;
  return (
    <time dateTime={iso} title={exactTime(iso)} className="whitespace-nowrap">
      {relative(iso)}
    </time>
  );
}

export function Money({ amount }: { readonly amount: string | null | undefined }) {
  const isMissing = amount === null || amount === undefined;
  return (
    <span title={exactMoney(amount)} className={joined("whitespace-nowrap", isMissing && "text-muted")}>
      {money(amount)}
    </span>
  );
}

interface SourceProps {
  readonly source: string;
  /** The line of the configuration file. */
  readonly line?: number | null;
  /** The name of that file, or of the variable. */
  readonly name?: string | null;
}

/** What the file or a variable defines: a lock with its place, such as `turnpike.yaml:12`. */
export function Source({ source, line, name }: SourceProps) {
  if (source === "api") return <span>api</span>;
  const file = name ?? "turnpike.yaml";
  const place = typeof line === "number" ? `${file}:${line}` : (name ?? source.replace("_", " "));
  return (
    <span className="inline-flex items-center gap-1 text-muted" title={texts.common.readOnly}>
      <Lock size={12} className="shrink-0" aria-hidden />
      <span className="wrap-anywhere">{place}</span>
    </span>
  );
}

export function Code({ children, label }: { readonly children: string; readonly label: string }) {
  return (
    <section aria-label={label} className="relative">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md whitespace-pre-wrap border border-line bg-sunken p-2.5 pr-20 font-mono text-[12px] wrap-anywhere max-sm:pt-12 max-sm:pr-2.5"
      >
        {children}
      </pre>
      <div className="absolute top-1 right-1">
        <CopyButton text={children} />
      </div>
    </section>
  );
}

export function Heading({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <h1 className="mr-auto font-semibold text-lg">{title}</h1>
      {children}
    </div>
  );
}

export function Section({
  title,
  children,
  aside,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly aside?: ReactNode;
}) {
  return (
    <section className="mt-4" aria-label={title}>
      <div className="mb-1.5 flex items-center gap-2">
        <h2 className="mr-auto font-semibold">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
