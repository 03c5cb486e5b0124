// How values are written: money, durations, counts, times and ids.

/** US dollars with four significant digits; the exact figure is for a tooltip. */
export function money(amount: string | null | undefined): string {
  if (amount === null || amount === undefined) return "not priced";
  const value = Number(amount);
  if (value === 0) return "$0";
  if (Math.abs(value) >= 1_000) return `$${value.toLocaleString("en-US", { maximumFractionDigits: 0 })}`;
  const digits = Math.abs(value) >= 1 ? 2 : 0;
  return `$${Number(value.toPrecision(4)).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: 12 })}`;
}

export const exactMoney = (amount: string | null | undefined): string =>
  amount === null || amount === undefined ? "No price applies to this model." : `$${amount}`;

export function count(value: number): string {
  if (value < 100_000) return value.toLocaleString("en-US");
  return value.toLocaleString("en-US", { notation: "compact", maximumSignificantDigits: 4 });
}

export function duration(ms: number | null): string {
  if (ms === null) return "–";
  const us = Math.round(ms * 1_000);
  if (us < 1_000) return `${us} µs`;
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

const steps = [
  ["s", 60],
  ["min", 60],
  ["h", 24],
  ["d", 365],
] as const;

/** `3 min ago`, `in 2 d`. */
export function relative(iso: string, nowMs = Date.now()): string {
  const seconds = (nowMs - Date.parse(iso)) / 1_000;
  let value = Math.abs(seconds);
  if (value < 5) return "now";
  for (const [unit, size] of steps) {
    if (value < size || unit === "d")
      return seconds > 0 ? `${Math.floor(value)} ${unit} ago` : `in ${Math.floor(value)} ${unit}`;
    value /= size;
  }
  return iso;
}

export const exactTime = (iso: string): string =>
  new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });

/** A long id, shortened in the middle. */
export const shortId = (id: string, length = 14): string =>
  id.length <= length ? id : `${id.slice(0, Math.ceil(length / 2))}…${id.slice(-Math.floor(length / 2) + 1)}`;

export const percent = (part: number, whole: number): string =>
  whole === 0 ? "0 %" : `${Number(((100 * part) / whole).toPrecision(3))} %`;

/** Sums decimal strings to the last nano-dollar. */
export function addMoney(amounts: readonly (string | null | undefined)[]): string {
  let nano = 0n;
  for (const amount of amounts) {
    if (amount === null || amount === undefined) continue;
    const isNegative = amount.startsWith("-");
    const [whole = "0", fraction = ""] = amount.replace("-", "").split(".");
    const value = BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0").slice(0, 9));
    nano += isNegative ? -value : value;
  }
  const sign = nano < 0n ? "-" : "";
  const absolute = nano < 0n ? -nano : nano;
  const fraction = String(absolute % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${sign}${absolute / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The name by which a provider's model can be requested. Some providers list their models with their own name before them. */
export const nameOfModel = (provider: string, model: string): string =>
  model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
