// The reasoned exceptions from the rules of the architecture. A line may only be added with its reason.
import type { Exceptions } from "./rules.ts";

/** Files that may be longer: data tables. */
export const longFiles: Exceptions = {};

/** Files whose functions may be longer: data tables in a function. */
export const longFunctions: Exceptions = {};

/** `path habit`: what this file alone may write. */
export const allowedHabits: Exceptions = {
  "src/gateway/operations/audio-transcoder.ts Bun.spawn":
    "transcodes speech: fixed arguments, no shell, an empty environment, bounded in number, time and bytes",
  "src/main.ts import()": "the launcher: nothing of the gateway may load before the environment is right",
  "src/providers/safe-fetch/connect.ts import()": "8 ms of every start, for a fetch that most installations never make",
  "src/providers/vertex/token.ts import()": "5 ms of every start, for accounts that few have",
  "src/providers/kling.ts import()": "5 ms of every start, for accounts that few have",
  "src/providers/bedrock/signature.ts import()": "5 ms of every start, for accounts that few have",
  "src/store/migrate.ts unsafe(${})": "a pragma takes no parameters; the value is a constant of this project",
  "src/store/store.ts unsafe(${})": "a pragma takes no parameters; the value is a constant of this project",
};

/** Files outside their homes that may say the name of a provider or a dialect. */
export const allowedNames: Exceptions = {
  "src/http/protocols.ts": "the table of protocols: whose envelope a path wears, and which protocol a header asks for",
  "src/http/model-list-formats.ts": "the list of models is told in the shape of each protocol",
};
