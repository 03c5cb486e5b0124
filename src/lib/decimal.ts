// Exact decimal numbers as integers of their smallest part: `0.25` with six digits is 250000n. Money is never a float.

const decimalForm = /^(-?)(\d+)(?:\.(\d+))?$/;

/** The text as an integer of 10^-digits; null if it is not a plain decimal number, or has more digits. */
export function parseDecimal(text: string, digits: number): bigint | null {
  const [, sign, whole = "", fraction = ""] = decimalForm.exec(text) ?? [];
  if (sign === undefined || fraction.length > digits) return null;
  const amount = BigInt(whole + fraction.padEnd(digits, "0"));
  return sign === "-" ? -amount : amount;
}

/** The shortest text of it: `0.25`, `12`, `-0.000001`. */
export function formatDecimal(amount: bigint, digits: number): string {
  const text = (amount < 0n ? -amount : amount).toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const fraction = text.slice(text.length - digits).replace(/0+$/, "");
  return `${amount < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Rounded up, as amounts of money that are owed are. `per` is above 0. */
export function divideUp(amount: bigint, per: bigint): bigint {
  return amount <= 0n ? amount / per : (amount + per - 1n) / per;
}
