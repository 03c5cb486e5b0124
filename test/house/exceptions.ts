// The reasoned exceptions from the rules of the house. A line may only be added with its reason.
import type { Exceptions } from "./rules.ts";

/** Files that may be longer: data tables. */
export const longFiles: Exceptions = {};

/** Files whose functions may be longer: data tables in a function. */
export const longFunctions: Exceptions = {};

/** `path habit`: what this file alone may write. */
export const allowedHabits: Exceptions = {
  "src/main.ts import()": "the launcher: nothing of the gateway may load before the environment is right",
  "src/store/migrate.ts unsafe(${})": "a pragma takes no parameters; the value is a constant number of this house",
  "src/store/store.ts unsafe(${})": "a pragma takes no parameters; the value is a constant number of this house",
};

/** Files outside their homes that may say the name of a provider or a dialect. */
export const allowedNames: Exceptions = {
  "src/http/fallback.ts": "says whose error envelope a path wears that no row claims: a part of the table of endpoints",
  "src/http/models.ts":
    "the list of models is one path in the shapes of several protocols, told apart by their headers",
};
