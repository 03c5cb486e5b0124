// What a translation could not carry over unchanged, said field by field.

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
 * What becomes of something that cannot be sent on: it is left out in silence, it is left out with a warning, or the
 * request is refused.
 */
export interface Loss {
  readonly rule: "ignore" | "warn" | "reject";
  /** Why it cannot be sent, as the end of a sentence. */
  readonly reason?: string;
  /** What of the client's wire it is about, where that is not the whole field. */
  readonly path?: string;
}

/** A request field that only the client's dialect has, and what becomes of it where the upstream speaks another one. */
export interface UnmappedField extends Loss {
  readonly path: string;
}
