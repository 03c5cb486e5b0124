// The section `console` of turnpike.yaml: how long sessions last.
import { type Static, Type } from "typebox";

export const consoleSettings = Type.Object(
  {
    session_hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 8760, description: "Hours after which a session ends. Default 24." }),
    ),
    session_idle_minutes: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 525_600,
        description: "Minutes without a request after which a session ends. Default 120.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const defaultSessionHours = 24;
export const defaultIdleMinutes = 120;

/** How long sessions last, in milliseconds. */
export function sessionTimes(given: Static<typeof consoleSettings> = {}) {
  const { session_hours: hours = defaultSessionHours, session_idle_minutes: minutes = defaultIdleMinutes } = given;
  return { absoluteMs: hours * 3_600_000, idleMs: minutes * 60_000 };
}
