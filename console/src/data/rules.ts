// What a value of a field must be, and the sentence for a value that the admin API would refuse.
import { fill, texts } from "../texts.ts";

export interface FieldRule {
  readonly isRequired?: boolean;
  readonly isWhole?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  /** What a value with a pattern is. */
  readonly description?: string;
  readonly enum?: readonly string[];
}

const words = texts.rules;

/** Absent for a value that is allowed. Spaces around a value are not sent, and an empty field that is optional neither. */
export function ruleFault(rule: FieldRule, given: string): string | undefined {
  const value = given.trim();
  if (value === "") return rule.isRequired === true ? words.required : undefined;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, minimum, maximum } = rule;
  if (value.length < minLength) return fill(words.minLength, { minLength });
  if (value.length > maxLength) return fill(words.maxLength, { maxLength });
  if (rule.isWhole === true && !Number.isInteger(Number(value))) return words.whole;
  if (minimum !== undefined && Number(value) < minimum) return fill(words.minimum, { minimum });
  if (maximum !== undefined && Number(value) > maximum) return fill(words.maximum, { maximum });
  if (rule.pattern !== undefined && !new RegExp(rule.pattern, "u").test(value))
    return [words.pattern, rule.description].join(" ").trim();
  return rule.enum === undefined || rule.enum.includes(value) ? undefined : words.pattern;
}
