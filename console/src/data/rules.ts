// What a value of a field must be, and the sentence for a value that the admin API would refuse.
import { fill, texts } from "../texts.ts";

export interface FieldRule {
  readonly isRequired?: boolean;
  readonly isWhole?: boolean;
  readonly isNumber?: boolean;
  /** Several values with commas between them, or what is between them here. */
  readonly isList?: boolean;
  readonly separator?: string;
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
  if (rule.isList !== true) return valueFault(rule, given.trim());
  const all = given
    .split(rule.separator ?? ",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  if (all.length === 0) return valueFault(rule, "");
  const faults = all.flatMap((each) => {
    const fault = valueFault(rule, each);
    return fault === undefined ? [] : [`${each}: ${fault}`];
  });
  return faults[0];
}

function valueFault(rule: FieldRule, value: string): string | undefined {
  if (value === "") return rule.isRequired === true ? words.required : undefined;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, minimum, maximum } = rule;
  if (value.length < minLength) return fill(words.minLength, { minLength });
  if (value.length > maxLength) return fill(words.maxLength, { maxLength });
  if (rule.isWhole === true && !Number.isInteger(Number(value))) return words.whole;
  if (rule.isNumber === true && !Number.isFinite(Number(value))) return words.number;
  if (minimum !== undefined && Number(value) < minimum) return fill(words.minimum, { minimum });
  if (maximum !== undefined && Number(value) > maximum) return fill(words.maximum, { maximum });
  if (rule.pattern !== undefined && !new RegExp(rule.pattern, "u").test(value))
    return [words.pattern, rule.description].join(" ").trim();
  return rule.enum === undefined || rule.enum.includes(value) ? undefined : words.pattern;
}

/** What the browser finds wrong by itself, by the type of the field. */
const typeFaults: Readonly<Record<string, string>> = { email: words.email, url: words.url, number: words.number };
export const browserFault = (type: string): string => typeFaults[type] ?? words.pattern;

export interface Attributes {
  readonly type?: string;
  readonly step?: number | string;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly pattern?: string | undefined;
}

/** The attributes of an input that say the same to the browser and to assistive software. */
export function attributesOf({ isList, isWhole, isNumber, ...rule }: FieldRule): Attributes {
  if (isList === true) return {};
  if (isWhole === true || isNumber === true)
    return { type: "number", step: isWhole === true ? 1 : "any", min: rule.minimum, max: rule.maximum };
  return { maxLength: rule.maxLength, pattern: rule.pattern };
}
