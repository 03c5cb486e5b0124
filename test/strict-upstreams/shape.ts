// Which members a vendor's wire has, as data: finds what a request holds beyond them.

/** A member that the wire does not have: where it stands, its name last. */
export type Stray = readonly (string | number)[];
export type Shape = (value: unknown) => Stray[];

/** Anything at all. */
export const any: Shape = () => [];

const under = (step: string | number, strays: readonly Stray[]): Stray[] => strays.map((stray) => [step, ...stray]);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object of these members, whose names `spelled` writes as they are here. What is no object is left to others. */
export function object(members: Readonly<Record<string, Shape>>, spelled = (name: string) => name): Shape {
  return (value) => {
    if (!isRecord(value)) return [];
    return Object.entries(value).flatMap(([name, inner]): Stray[] => {
      const known = spelled(name);
      const shape = Object.hasOwn(members, known) ? members[known] : undefined;
      return shape === undefined ? [[name]] : under(name, shape(inner));
    });
  };
}

/** Members of which nothing more is said. */
export function plain(...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, any]));
}

/** A list of these. */
export function list(item: Shape): Shape {
  return (value) => (Array.isArray(value) ? value.flatMap((one, index) => under(index, item(one))) : []);
}

/** A map as protocol buffers see it: a list of pairs. */
export function protoMap(item: Shape): Shape {
  return (value) =>
    isRecord(value) ? Object.values(value).flatMap((one, index) => under(index, under("value", item(one)))) : [];
}

/** One of several objects, by the member that says which; `tagged` names it in the path. */
export function oneOf(by: string, shapes: Readonly<Record<string, Shape>>, tagged = false, usual = ""): Shape {
  return (value) => {
    if (!isRecord(value)) return [];
    const name = typeof value[by] === "string" ? value[by] : usual;
    const strays = Object.hasOwn(shapes, name) ? (shapes[name]?.(value) ?? []) : [[by]];
    return tagged ? under(name, strays) : strays;
  };
}

/** `a.0.b`, as Python's validators write it. */
export const dotted = (stray: Stray): string => stray.join(".");

/** `a[0].b`, as JavaScript writes it. */
export function bracketed(stray: Stray): string {
  return stray.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}
