// Members that several resources have, with the same schema and the same spelling.
import { type TSchema, Type } from "typebox";
import { formatDecimal } from "../lib/decimal.ts";

export const closed = { additionalProperties: false } as const;
export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const text = (description: string) => Type.String({ description });
export const shortText = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
export const integer = (description: string) => Type.Integer({ description });

export const timeForm = "^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,3})?)?(?:Z|[+-]\\d{2}:\\d{2}))?$";

/** A time that the gateway sets. */
export const time = (description: string) => Type.String({ format: "date-time", description });
/** A time that a client may send: a day (UTC), or a time with its zone. */
export const givenTime = (description: string) => Type.String({ pattern: timeForm, maxLength: 40, description });
/** US dollars, exactly. */
export const money = (description: string) => nullable(Type.String({ description: `${description} In US dollars.` }));
export const version = Type.Integer({ description: "Changes with every change; send it as `If-Match`." });

const nanoDigits = 9;

export const isoTime = (ms: number): string => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));
export const dollars = (nano: bigint | null): string | null => (nano === null ? null : formatDecimal(nano, nanoDigits));
