// Validates a wire against its schema and reports the most helpful fault, with its path as the client wrote it.
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { timeForm } from "../admin/fields.ts";
import { GatewayError } from "../canonical/error.ts";
import type { JsonObject } from "../lib/json.ts";
import { settleNumbers } from "./exact-numbers.ts";

type Fault = TLocalizedValidationError;

const compiled = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const validator = Compile(schema) as Validator;
  compiled.set(schema, validator);
  return validator;
}

/** `/messages/2/content/0/type` becomes `messages[2].content[0].type`. */
function pathOf(pointer: string): string {
  let path = "";
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (/^\d+$/.test(name)) path += `[${name}]`;
    else path += path === "" ? name : `.${name}`;
  }
  return path;
}

const depth = (fault: Fault): number => fault.instancePath.split("/").length;
const isUnion = (fault: Fault): boolean => fault.keyword === "anyOf" || fault.keyword === "oneOf";

/** In a union every branch reports faults; the branch that matched deepest is the intended one. */
function mostHelpful(faults: readonly Fault[]): Fault | undefined {
  const first = faults[0];
  if (first === undefined) return undefined;
  const root = first.instancePath;
  const family = faults.filter((fault) => fault.instancePath.startsWith(root) || root.startsWith(fault.instancePath));
  const deepest = family.reduce((best, fault) => (depth(fault) > depth(best) ? fault : best), first);
  const peers = family.filter((fault) => fault.instancePath === deepest.instancePath && !isUnion(fault));
  // A wrong type is more helpful than the enumeration or bound that fails as well.
  return (
    peers.find((fault) => fault.keyword === "type" && !matchesAnother(fault, peers)) ?? peers.find(notType) ?? deepest
  );
}

const notType = (fault: Fault): boolean => fault.keyword !== "type" && fault.keyword !== "const";

/**
 * In a union, branches of another type fail too: their type faults are ignored if a branch of the right type failed
 * elsewhere.
 */
const matchesAnother = (fault: Fault, peers: readonly Fault[]): boolean =>
  peers.some((peer) => peer !== fault && branchOf(peer) !== branchOf(fault) && notType(peer));

const branchOf = (fault: Fault): string => /^.*\/anyOf\/\d+/.exec(fault.schemaPath)?.[0] ?? "";

/** Patterns in words. */
const formWords: Readonly<Record<string, string>> = {
  [timeForm]: "must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31",
};

function wordsFor(fault: Fault, faults: readonly Fault[]): string {
  const types = faults
    .filter((other) => other.instancePath === fault.instancePath && other.keyword === "type")
    .flatMap((other) => ("type" in other.params ? [other.params.type].flat() : []))
    .filter((type) => type !== "null");
  if (fault.keyword === "type") return `must be ${[...new Set(types)].join(" or ")}`;
  if (fault.keyword === "enum" && "allowedValues" in fault.params)
    return `must be one of ${fault.params.allowedValues.flatMap((value) => (value === null ? [] : [`'${value}'`])).join(", ")}`;
  if (fault.keyword === "pattern") return formWords[String(Object(fault.params).pattern)] ?? fault.message;
  const isEmpty = (fault.keyword === "minLength" || fault.keyword === "minItems") && Object(fault.params).limit === 1;
  return isEmpty ? "must not be empty" : fault.message;
}

const namesShown = 30;

/** The members of the object whose schema refuses an unknown one; empty where they cannot be listed. */
function membersIn(schema: TSchema, { schemaPath }: Fault): string {
  let at: unknown = schema;
  for (const part of schemaPath.split("/").slice(1, -1)) at = Object(at)[part];
  const names = Object.keys(Object(Object(at).properties));
  return names.length === 0 || names.length > namesShown ? "" : ` Use ${names.join(", ")}.`;
}

function toError(fault: Fault, faults: readonly Fault[], schema: TSchema): GatewayError {
  const base = pathOf(fault.instancePath);
  if (fault.keyword === "required" && "requiredProperties" in fault.params) {
    const missing = fault.params.requiredProperties[0] ?? "";
    const param = base === "" ? missing : `${base}.${missing}`;
    return new GatewayError("missing_required_parameter", `Missing required parameter: '${param}'.`, { param });
  }
  // A closed object refuses each unknown member by the schema `false`.
  if (fault.keyword === "boolean") {
    const param = base.slice(0, 200);
    const message = `Unknown parameter: '${param}'.${membersIn(schema, fault)}`;
    return new GatewayError("invalid_value", message, { param, code: "unknown_parameter" });
  }
  const kind = fault.keyword === "type" || isUnion(fault) ? "invalid_type" : "invalid_value";
  return new GatewayError(kind, `Invalid '${base}': it ${wordsFor(fault, faults)}.`, {
    param: base === "" ? null : base,
  });
}

/** The wire of a body, with exact numbers only where the schema allows any value. */
export function validated(schema: TSchema, wire: JsonObject, mayBeExact = false): JsonObject {
  if (mayBeExact) {
    validate(schema, settleNumbers(schema, wire, { keepsIntegers: false }));
    return settleNumbers(schema, wire, { keepsIntegers: true });
  }
  validate(schema, wire);
  return wire;
}

/** Throws status 400 with the most helpful fault. */
export function validate(schema: TSchema, wire: JsonObject): void {
  const validator = validatorOf(schema);
  if (validator.Check(wire)) return;
  const faults = validator.Errors(wire);
  const fault = mostHelpful(faults);
  throw fault === undefined
    ? new GatewayError("invalid_value", "The body is not valid.")
    : toError(fault, faults, schema);
}
