// What a translation could not carry over unchanged, said field by field.

/** The request fields that canon knows by name. A dialect tells where each stands on its own wire. */
export type FieldName =
  | "temperature"
  | "topP"
  | "topK"
  | "presencePenalty"
  | "frequencyPenalty"
  | "seed"
  | "logitBias"
  | "logprobs"
  | "stopSequences"
  | "choices"
  | "maxOutputTokens"
  | "tools"
  | "toolChoice"
  | "parallelToolCalls"
  | "format"
  | "reasoning"
  | "verbosity"
  | "tier"
  | "speed"
  | "endUser"
  | "metadata"
  | "messages"
  | "system"
  | "input"
  | "dimensions"
  | "encodingFormat"
  | "purpose"
  | "title";

/**
 * `path` is in the client's own words. `dropped`: removed. `approximated`: converted with a loss. `emulated`: done by the
 * gateway. `unverified`: no table knows the model, and what the client said was sent as it is.
 */
export interface Warning {
  readonly code: "dropped" | "approximated" | "emulated" | "unverified";
  readonly path: string;
}

/** True where something that the client said is lost, which strict mode refuses. */
export function isLoss({ code }: Warning): boolean {
  return code === "dropped" || code === "approximated";
}

/**
 * A request field that only the client's dialect has. When the upstream speaks another dialect, `ignore` fields go
 * without a word, `warn` fields with a warning, and `reject` fields refuse the request.
 */
export interface UnmappedField {
  readonly path: string;
  readonly rule: "ignore" | "warn" | "reject";
  /** Why a `reject` field cannot be sent, as the end of the message. */
  readonly reason?: string;
}
