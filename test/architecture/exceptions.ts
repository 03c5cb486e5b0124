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
  "src/cli/browser.ts Bun.spawn": "the command line: opens the console's page, with a fixed command and no shell",
  "src/main.ts import()": "the launcher: nothing of the gateway may load before the environment is right",
  "src/providers/safe-fetch/connect.ts import()": "8 ms of every start, for a fetch that most installations never make",
  "src/providers/vertex/service-account.ts import()": "5 ms of every start, for accounts that few have",
  "src/providers/kling.ts import()": "5 ms of every start, for accounts that few have",
  "src/providers/bedrock/index.ts import()": "5 ms of every start, for accounts that few have",
  "src/admin/oidc-client.ts import()": "5 ms of every start, for a provider that few have",
  "src/app/observability.ts import()": "50 ms of a start, for exports that only some installations make",
  "src/cli/main.ts import()": "90 ms of processor time of every command but the one that starts the gateway",
  "src/store/migrate.ts unsafe(${})": "a pragma takes no parameters; the value is a constant of this project",
  "src/store/store.ts unsafe(${})": "a pragma takes no parameters; the value is a constant of this project",
};

/** Files outside their homes that may say the name of a provider or a dialect. */
export const allowedNames: Exceptions = {
  "src/cli/clients.ts": "the table of clients: names of their files, variables and packages",
  "src/cli/client-libraries.ts": "the rows of that table for libraries",
  "src/cli/connect.ts": "the model that the printed settings try",
  "src/http/protocols.ts": "the table of protocols: whose envelope a path wears, and which protocol a header asks for",
  "src/http/model-list-formats.ts": "the list of models is told in the shape of each protocol",
};

/** Files above the dialects that may name members of a wire. */
export const allowedWire: Exceptions = {
  "src/telemetry/opentelemetry/attributes.ts": "names of the semantic conventions, which are like those of a dialect",
  "src/telemetry/opentelemetry/request-span.ts": "names of the semantic conventions",
  "src/http/responses.ts": "endpoints of stored responses: parameters of path and query",
  "src/http/openai-videos.ts": "endpoints of one protocol's videos, with the bodies of their own",
  "src/http/model-list-formats.ts": "the list of models is written in the shape of each protocol",
  "src/http/openapi/error-schemas.ts": "the document describes what is on the wire",
  "src/http/openapi/examples.ts": "the document describes what is on the wire",
  "src/http/openapi/response-schemas.ts": "the document describes what is on the wire",
  "src/gateway/tasks/task-state.ts": "codes of failed tasks, which some dialects have numbers for",
  "src/gateway/tasks/webhook.ts": "the gateway's own member of a webhook",
  "src/gateway/operations/audio-transcoder.ts": "names the parameter in the message of its own error",
};
