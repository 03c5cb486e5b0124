// Warnings for what a translation changed, field by field.

/**
 * `path` is a path of the client's wire. `dropped`: removed. `approximated`: converted with a loss. `emulated`: done
 * by the gateway. `unverified`: no table has a row for the model, and the value was sent unchanged.
 */
export interface Warning {
  readonly code: "dropped" | "approximated" | "emulated" | "unverified";
  readonly path: string;
}

/** True where something that the client sent is lost, which strict mode refuses. */
export function isLoss({ code }: Warning): boolean {
  return code === "dropped" || code === "approximated";
}

/**
 * What happens to something that cannot be sent: it is left out silently, it is left out with a warning, or the
 * request is refused.
 */
export interface Loss {
  readonly rule: "ignore" | "warn" | "reject";
  /** The reason, as the end of a sentence. */
  readonly reason?: string;
  /** The path on the client's wire, if it is not the whole field. */
  readonly path?: string;
}

/**
 * A request field that only the client's dialect has, and what happens to it when the upstream uses another dialect.
 */
export interface UnmappedField extends Loss {
  readonly path: string;
}
