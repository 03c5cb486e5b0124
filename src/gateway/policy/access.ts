// Access: which models, operations, providers and tags a caller may use, by the rules of every level.
import { GatewayError } from "../../canonical/error.ts";
import type { Operation } from "../../canonical/operation.ts";
import type { Candidate } from "../routing/catalog.ts";
import { type Access, allowsCandidate, allowsName, levelNames } from "./access-rules.ts";
import type { Caller } from "./caller.ts";
import type { Policy } from "./policy.ts";

function refuseOperation({ level, operations }: Access, operation: Operation): void {
  if (operations === null || operations.has(operation)) return;
  const message = `This ${levelNames[level]} is not allowed to use the operation '${operation}'.`;
  throw new GatewayError("operation_not_allowed", message);
}

function refuseModel(access: Access, model: string): void {
  if (model === "" || allowsName(access, model)) return;
  const message = `This ${levelNames[access.level]} is not allowed to use the model '${model.slice(0, 120)}'.`;
  throw new GatewayError("model_not_allowed", message, { param: "model" });
}

/** Throws `operation_not_allowed` or `model_not_allowed` where a level of the caller refuses them. */
export function authorizeModel(caller: Caller, operation: Operation, model: string): void {
  for (const access of caller.access) {
    refuseOperation(access, operation);
    refuseModel(access, model);
  }
}

/** Whether every level of the caller allows this candidate. */
export const permitsCandidate = ({ access }: Caller, candidate: Candidate): boolean =>
  access.every((each) => allowsCandidate(each, candidate));

/** Forbidden candidates are never called, including fallbacks. */
export const accessPolicy: Policy = {
  name: "access",
  authorize: ({ caller, operation, model }) => authorizeModel(caller, operation, model),
  permits: ({ caller }, candidate) => permitsCandidate(caller, candidate),
};
