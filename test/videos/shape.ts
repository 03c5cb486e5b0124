// What a body must look like, field by field: a value, a pattern, or a type by its name; every difference is told by its path.
type Leaf = string | number | boolean | null | RegExp | ((value: unknown) => boolean);
export type Shape = Leaf | Shape[] | { readonly [name: string]: Shape };

export const integer = (value: unknown): boolean => Number.isSafeInteger(value);
export const text = (value: unknown): boolean => typeof value === "string" && value !== "";
export const anyText = (value: unknown): boolean => typeof value === "string";
export const absent = (value: unknown): boolean => value === undefined;
export const link = /^https?:\/\/127\.0\.0\.1:\d+\/\S+$/;
/** Whole seconds since 1970, of about now. */
export const unixTime = (value: unknown): boolean =>
  integer(value) && Math.abs(Number(value) - Date.now() / 1000) < 3_600;
/** Whole milliseconds since 1970, of about now. */
export const unixMs = (value: unknown): boolean => integer(value) && Math.abs(Number(value) - Date.now()) < 3_600_000;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function isLike(value: unknown, shape: Leaf): boolean {
  if (typeof shape === "function") return shape(value);
  if (shape instanceof RegExp) return typeof value === "string" && shape.test(value);
  return value === shape;
}

/** The differences, as in `data.task_status: "failed"`; members that the shape does not name may be there. */
export function faults(value: unknown, shape: Shape, path = "body"): string[] {
  if (Array.isArray(shape)) {
    if (!Array.isArray(value) || value.length !== shape.length) return [`${path}: ${JSON.stringify(value)}`];
    return shape.flatMap((each, index) => faults(value[index], each, `${path}[${index}]`));
  }
  if (isObject(shape) && !(shape instanceof RegExp)) {
    if (!isObject(value)) return [`${path}: ${JSON.stringify(value)}`];
    return Object.entries(shape).flatMap(([name, each]) => faults(value[name], each, `${path}.${name}`));
  }
  return isLike(value, shape as Leaf) ? [] : [`${path}: ${JSON.stringify(value)}`];
}
