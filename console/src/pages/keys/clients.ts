// Settings of clients, with the real address, key and model. `turnpike connect` writes the same into files.

export interface Connection {
  /** Without `/v1`. */
  readonly url: string;
  readonly model: string;
  /** Null: the variable TURNPIKE_KEY. */
  readonly key: string | null;
}

export interface Client {
  readonly name: string;
  readonly title: string;
  readonly file?: string;
  readonly text: (connection: Connection) => string;
}

const quoted = (text: string): string => JSON.stringify(text);
const shellKey = ({ key }: Connection): string => key ?? "$TURNPIKE_KEY";
const nodeKey = ({ key }: Connection): string => (key === null ? "process.env.TURNPIKE_KEY" : quoted(key));
const pythonKey = ({ key }: Connection): string => (key === null ? 'os.environ["TURNPIKE_KEY"]' : quoted(key));
const pythonImport = ({ key }: Connection): string => (key === null ? "import os\n" : "");
const literalKey = ({ key }: Connection): string => key ?? "YOUR_KEY";
const json = (value: unknown): string => JSON.stringify(value, null, 2);
const hello = [{ role: "user", content: "Hello" }];

export const clients: readonly Client[] = [
  {
    name: "curl",
    title: "curl",
    text: (to) =>
      `curl ${to.url}/v1/chat/completions \\\n  -H "Authorization: Bearer ${shellKey(to)}" -H "Content-Type: application/json" \\\n  -d '${JSON.stringify({ model: to.model, messages: hello })}'`,
  },
  {
    name: "openai-node",
    title: "OpenAI SDK for TypeScript",
    text: (to) =>
      `import OpenAI from "openai";\nconst client = new OpenAI({ baseURL: ${quoted(`${to.url}/v1`)}, apiKey: ${nodeKey(to)} });\nawait client.chat.completions.create({ model: ${quoted(to.model)}, messages: ${JSON.stringify(hello)} });`,
  },
  {
    name: "openai-python",
    title: "OpenAI SDK for Python",
    text: (to) =>
      `${pythonImport(to)}from openai import OpenAI\nclient = OpenAI(base_url=${quoted(`${to.url}/v1`)}, api_key=${pythonKey(to)})\nclient.chat.completions.create(model=${quoted(to.model)}, messages=${JSON.stringify(hello)})`,
  },
  {
    name: "anthropic-node",
    title: "Anthropic SDK for TypeScript",
    text: (to) =>
      `import Anthropic from "@anthropic-ai/sdk";\nconst client = new Anthropic({ baseURL: ${quoted(to.url)}, apiKey: ${nodeKey(to)} });\nawait client.messages.create({ model: ${quoted(to.model)}, max_tokens: 100, messages: ${JSON.stringify(hello)} });`,
  },
  {
    name: "anthropic-python",
    title: "Anthropic SDK for Python",
    text: (to) =>
      `${pythonImport(to)}from anthropic import Anthropic\nclient = Anthropic(base_url=${quoted(to.url)}, api_key=${pythonKey(to)})\nclient.messages.create(model=${quoted(to.model)}, max_tokens=100, messages=${JSON.stringify(hello)})`,
  },
  {
    name: "google-node",
    title: "Google Gen AI SDK for TypeScript",
    text: (to) =>
      `import { GoogleGenAI } from "@google/genai";\nconst client = new GoogleGenAI({ apiKey: ${nodeKey(to)}, httpOptions: { baseUrl: ${quoted(to.url)} } });\nawait client.models.generateContent({ model: ${quoted(to.model)}, contents: "Hello" });`,
  },
  {
    name: "claude-code",
    title: "Claude Code",
    file: "~/.claude/settings.json",
    text: (to) =>
      json({
        env: {
          ANTHROPIC_BASE_URL: to.url,
          ANTHROPIC_AUTH_TOKEN: literalKey(to),
          ANTHROPIC_MODEL: to.model,
          ANTHROPIC_DEFAULT_HAIKU_MODEL: to.model,
        },
      }),
  },
  {
    name: "codex",
    title: "Codex CLI",
    file: "~/.codex/config.toml",
    text: (to) =>
      `model = ${quoted(to.model)}\nmodel_provider = "turnpike"\n\n[model_providers.turnpike]\nname = "Turnpike"\nbase_url = ${quoted(`${to.url}/v1`)}\nenv_key = "TURNPIKE_KEY"\nwire_api = "responses"`,
  },
  {
    name: "opencode",
    title: "OpenCode",
    file: "~/.config/opencode/opencode.json",
    text: (to) =>
      json({
        provider: {
          turnpike: {
            npm: "@ai-sdk/openai-compatible",
            name: "Turnpike",
            options: { baseURL: `${to.url}/v1`, apiKey: to.key ?? "{env:TURNPIKE_KEY}" },
            models: { [to.model]: { name: to.model } },
          },
        },
        model: `turnpike/${to.model}`,
      }),
  },
  {
    name: "open-webui",
    title: "Open WebUI",
    text: (to) => `export OPENAI_API_BASE_URL=${to.url}/v1\nexport OPENAI_API_KEY=${shellKey(to)}`,
  },
  {
    name: "librechat",
    title: "LibreChat",
    file: "librechat.yaml",
    text: (to) =>
      `endpoints:\n  custom:\n    - name: Turnpike\n      apiKey: ${quoted(to.key ?? "${TURNPIKE_KEY}")}\n      baseURL: ${quoted(`${to.url}/v1`)}\n      models: { default: [${quoted(to.model)}], fetch: true }\n      titleConvo: true\n      titleModel: ${quoted(to.model)}`,
  },
];
