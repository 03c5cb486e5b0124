// The table of `turnpike connect`: for each client its settings file with the settings, or the lines to run.
import { join } from "node:path";
import { type ClientEntry, keyPlaceholder } from "../admin/resources/clients.ts";
import { type Client, exported, keyIn, shellKey, v1 } from "./client.ts";
import { libraries } from "./client-libraries.ts";
import { newSettingsText } from "./settings-file.ts";

const exportNote = "The settings name the variable TURNPIKE_KEY: set it where the client runs.";

/** Coding agents and their files, by the documentation of their vendors as of November 2026. */
const agents: readonly Client[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    // Both model names are set: the smaller model is used in the background.
    files: (connection, { home, environment }) => [
      {
        path: join(environment["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "settings.json"),
        format: "json",
        settings: [
          [["env", "ANTHROPIC_BASE_URL"], connection.url],
          [["env", "ANTHROPIC_AUTH_TOKEN"], keyIn(connection)],
          [["env", "ANTHROPIC_MODEL"], connection.model],
          [["env", "ANTHROPIC_DEFAULT_HAIKU_MODEL"], connection.model],
          [["env", "CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY"], "1"],
        ],
      },
    ],
    note: "Unset ANTHROPIC_API_KEY: it is used before ANTHROPIC_AUTH_TOKEN. Check with /status.",
  },
  {
    name: "codex",
    title: "Codex CLI",
    readsKeyVariable: true,
    files: (connection, { home, environment }) => [
      {
        path: join(environment["CODEX_HOME"] ?? join(home, ".codex"), "config.toml"),
        format: "toml",
        settings: [
          [["model"], connection.model],
          [["model_provider"], "turnpike"],
          [
            ["model_providers", "turnpike"],
            { name: "Turnpike", base_url: v1(connection), env_key: "TURNPIKE_KEY", wire_api: "responses" },
          ],
        ],
      },
    ],
    note: exportNote,
  },
  {
    name: "opencode",
    title: "OpenCode",
    readsKeyVariable: true,
    files: (connection, { home, environment }) => [
      {
        path: join(environment["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode", "opencode.json"),
        format: "json",
        settings: [
          [["provider", "turnpike", "npm"], "@ai-sdk/openai-compatible"],
          [["provider", "turnpike", "name"], "Turnpike"],
          [["provider", "turnpike", "options", "baseURL"], v1(connection)],
          [["provider", "turnpike", "options", "apiKey"], connection.key ?? "{env:TURNPIKE_KEY}"],
          [["provider", "turnpike", "models", connection.model, "name"], connection.model],
          [["model"], `turnpike/${connection.model}`],
        ],
      },
    ],
    note: "Without --key the settings name the variable TURNPIKE_KEY: set it where OpenCode runs.",
  },
  {
    name: "gemini-cli",
    title: "Gemini CLI",
    files: (connection, { home }) => [
      {
        path: join(home, ".gemini", ".env"),
        format: "env",
        settings: [
          [["GEMINI_API_KEY"], keyIn(connection)],
          [["GOOGLE_GEMINI_BASE_URL"], connection.url],
          [["GEMINI_MODEL"], connection.model],
        ],
      },
      {
        path: join(home, ".gemini", "settings.json"),
        format: "json",
        settings: [[["security", "auth", "selectedType"], "gemini-api-key"]],
      },
    ],
    note: "Some versions ignore GOOGLE_GEMINI_BASE_URL: check that the first request is in `turnpike usage`.",
  },
  {
    name: "qwen-code",
    title: "Qwen Code",
    text: (connection) =>
      exported({
        OPENAI_BASE_URL: v1(connection),
        OPENAI_API_KEY: shellKey(connection),
        OPENAI_MODEL: connection.model,
      }),
  },
  {
    name: "aider",
    title: "aider",
    files: (connection, { home }) => [
      {
        path: join(home, ".aider.conf.yml"),
        format: "yaml",
        settings: [
          [["openai-api-base"], v1(connection)],
          [["openai-api-key"], keyIn(connection)],
          [["model"], `openai/${connection.model}`],
        ],
      },
    ],
  },
  {
    name: "cline",
    title: "Cline",
    text: (connection) =>
      `cline auth --provider openai-compatible --baseurl ${v1(connection)} --apikey "${shellKey(connection)}" --modelid ${connection.model}`,
    note: "In the editor: API Provider 'OpenAI Compatible' with the same base URL, API key and model ID.",
  },
  {
    name: "continue",
    title: "Continue",
    files: (connection, { home }) => [
      {
        path: join(home, ".continue", "config.yaml"),
        format: "yaml",
        defaults: { name: "Local", version: "0.0.1", schema: "v1" },
        settings: [
          [
            ["models", { name: "Turnpike" }],
            { provider: "openai", model: connection.model, apiBase: v1(connection), apiKey: keyIn(connection) },
          ],
        ],
      },
    ],
  },
];

/** Chat front ends. */
const frontEnds: readonly Client[] = [
  {
    name: "librechat",
    title: "LibreChat",
    readsKeyVariable: true,
    files: (connection, { working }) => [
      {
        path: join(working, "librechat.yaml"),
        format: "yaml",
        defaults: { version: "1.2.1" },
        settings: [
          [
            ["endpoints", "custom", { name: "Turnpike" }],
            {
              apiKey: connection.key ?? "${TURNPIKE_KEY}",
              baseURL: v1(connection),
              models: { default: [connection.model], fetch: true },
              titleConvo: true,
              titleModel: connection.model,
            },
          ],
        ],
      },
    ],
    note: "Run it in LibreChat's folder, or name the file with --file. In containers, the address must be reachable from there.",
  },
  {
    name: "open-webui",
    title: "Open WebUI",
    text: (connection) => exported({ OPENAI_API_BASE_URL: v1(connection), OPENAI_API_KEY: shellKey(connection) }),
    note: "The variables count at the first start; later, set both in Admin Settings > Connections.",
  },
];

/** Every client, in the order in which they are listed. */
export const clients: readonly Client[] = [...libraries, ...agents, ...frontEnds];

/** As on a machine of the reader: its folders are not those of the gateway. */
const folders = { home: "~", working: "", environment: {} };

/** Every client with its settings, for the admin API. */
export function clientEntries({ url, model }: { url: string; model: string }): readonly ClientEntry[] {
  const open = { url, model, key: null };
  const withKey = { url, model, key: keyPlaceholder };
  return clients.map(({ name, title, note = null, text, files }) => {
    const lines = { file: null, text: text?.(open) ?? "", text_with_key: text?.(withKey) ?? "" };
    const keyed = files?.(withKey, folders) ?? [];
    const blocks = (files?.(open, folders) ?? []).map((file, at) => ({
      file: file.path,
      text: newSettingsText(file),
      text_with_key: newSettingsText(keyed[at] ?? file),
    }));
    return { id: name, title, note, blocks: [...(text === undefined ? [] : [lines]), ...blocks] };
  });
}
