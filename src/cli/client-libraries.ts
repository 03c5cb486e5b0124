// Rows of the client table for programs that use a vendor's library.
import { type Client, type Connection, shellKey, v1 } from "./client.ts";

const lines = (...each: readonly string[]): string => each.join("\n");
const quoted = (text: string): string => JSON.stringify(text);
const keyOfPython = ({ key }: Connection): string => (key === null ? 'os.environ["TURNPIKE_KEY"]' : quoted(key));
const keyOfNode = ({ key }: Connection): string => (key === null ? "process.env.TURNPIKE_KEY" : quoted(key));
const importOs = ({ key }: Connection): string[] => (key === null ? ["import os"] : []);

/** Libraries, and plain HTTP from a shell. */
export const libraries: readonly Client[] = [
  {
    name: "curl",
    title: "curl",
    text: (connection) =>
      lines(
        `curl ${v1(connection)}/chat/completions \\`,
        `  -H "Authorization: Bearer ${shellKey(connection)}" -H "Content-Type: application/json" \\`,
        `  -d '${JSON.stringify({ model: connection.model, messages: [{ role: "user", content: "Hello" }] })}'`,
      ),
  },
  {
    name: "openai-python",
    title: "OpenAI SDK for Python",
    text: (connection) =>
      lines(
        ...importOs(connection),
        "from openai import OpenAI",
        `client = OpenAI(base_url=${quoted(v1(connection))}, api_key=${keyOfPython(connection)})`,
        `client.chat.completions.create(model=${quoted(connection.model)}, messages=[{"role": "user", "content": "Hello"}])`,
      ),
    note: "Without changes to the program: OPENAI_BASE_URL and OPENAI_API_KEY.",
  },
  {
    name: "openai-node",
    title: "OpenAI SDK for TypeScript",
    text: (connection) =>
      lines(
        'import OpenAI from "openai";',
        `const client = new OpenAI({ baseURL: ${quoted(v1(connection))}, apiKey: ${keyOfNode(connection)} });`,
        `await client.chat.completions.create({ model: ${quoted(connection.model)}, messages: [{ role: "user", content: "Hello" }] });`,
      ),
    note: "Without changes to the program: OPENAI_BASE_URL and OPENAI_API_KEY.",
  },
  {
    name: "anthropic-python",
    title: "Anthropic SDK for Python",
    text: (connection) =>
      lines(
        ...importOs(connection),
        "from anthropic import Anthropic",
        `client = Anthropic(base_url=${quoted(connection.url)}, api_key=${keyOfPython(connection)})`,
        `client.messages.create(model=${quoted(connection.model)}, max_tokens=100, messages=[{"role": "user", "content": "Hello"}])`,
      ),
    note: "Without changes to the program: ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY.",
  },
  {
    name: "anthropic-node",
    title: "Anthropic SDK for TypeScript",
    text: (connection) =>
      lines(
        'import Anthropic from "@anthropic-ai/sdk";',
        `const client = new Anthropic({ baseURL: ${quoted(connection.url)}, apiKey: ${keyOfNode(connection)} });`,
        `await client.messages.create({ model: ${quoted(connection.model)}, max_tokens: 100, messages: [{ role: "user", content: "Hello" }] });`,
      ),
    note: "Without changes to the program: ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY.",
  },
  {
    name: "google-python",
    title: "Google Gen AI SDK for Python",
    text: (connection) =>
      lines(
        ...importOs(connection),
        "from google import genai",
        `client = genai.Client(api_key=${keyOfPython(connection)}, http_options={"base_url": ${quoted(connection.url)}})`,
        `client.models.generate_content(model=${quoted(connection.model)}, contents="Hello")`,
      ),
  },
  {
    name: "google-node",
    title: "Google Gen AI SDK for TypeScript",
    text: (connection) =>
      lines(
        'import { GoogleGenAI } from "@google/genai";',
        `const client = new GoogleGenAI({ apiKey: ${keyOfNode(connection)}, httpOptions: { baseUrl: ${quoted(connection.url)} } });`,
        `await client.models.generateContent({ model: ${quoted(connection.model)}, contents: "Hello" });`,
      ),
  },
  {
    name: "cohere-node",
    title: "Cohere SDK for TypeScript",
    text: (connection) =>
      lines(
        'import { CohereClientV2 } from "cohere-ai";',
        `const client = new CohereClientV2({ token: ${keyOfNode(connection)}, environment: ${quoted(connection.url)} });`,
        `await client.rerank({ model: ${quoted(connection.model)}, query: "capital", documents: ["Paris", "apple"] });`,
      ),
  },
  {
    name: "langchain-python",
    title: "LangChain for Python",
    text: (connection) =>
      lines(
        ...importOs(connection),
        "from langchain_openai import ChatOpenAI",
        `llm = ChatOpenAI(model=${quoted(connection.model)}, base_url=${quoted(v1(connection))}, api_key=${keyOfPython(connection)})`,
        'llm.invoke("Hello")',
      ),
  },
  {
    name: "ai-sdk",
    title: "Vercel AI SDK",
    text: (connection) =>
      lines(
        'import { createOpenAICompatible } from "@ai-sdk/openai-compatible";',
        'import { generateText } from "ai";',
        `const turnpike = createOpenAICompatible({ name: "turnpike", baseURL: ${quoted(v1(connection))}, apiKey: ${keyOfNode(connection)} });`,
        `await generateText({ model: turnpike(${quoted(connection.model)}), prompt: "Hello" });`,
      ),
  },
];
