// A client of generateContent, through the official SDK.
import { type GenerateContentResponse, GoogleGenAI } from "@google/genai";
import { at, list, text } from "../../support/chat-stream-reader.ts";
import { system, tools } from "../dialogue.ts";
import { clientsOf, type Dialogue, type Habit, type Opening, type Reply } from "./client.ts";

type Part = Record<string, unknown>;
type Parts = readonly Part[];

const isWords = (part: Part | undefined): part is Part => part?.["text"] !== undefined && part["thought"] !== true;

/** https://github.com/google-gemini/gemini-cli/issues/25808: what is no thought, without empty texts; of joined texts the first one's signature stays. */
function consolidated(parts: Parts): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part["thought"] === true || part["text"] === "") continue;
    if (isWords(part) && isWords(last)) last["text"] = `${last["text"]}${part["text"]}`;
    else result.push({ ...part });
  }
  return result;
}

const withoutSignatures = (parts: Parts): Part[] => consolidated(parts).map(({ thoughtSignature: _, ...part }) => part);

const eachCall = (parts: Parts, change: (call: Part, index: number) => Part): Part[] =>
  parts.map((part, index) =>
    part["functionCall"] === undefined ? part : { ...part, functionCall: change(part["functionCall"] as Part, index) },
  );

const habits: readonly Habit<Parts>[] = [
  { name: "all parts", of: "google-genai chats", replay: (parts) => parts },
  { name: "thoughts and empty texts dropped, texts joined", of: "Gemini CLI", replay: consolidated },
  { name: "signatures dropped", of: "agents of before Gemini 3", replay: withoutSignatures, keepsState: false },
  {
    name: "new ids, with colons",
    of: "Gemini CLI",
    replay: (parts) => eachCall(parts, (call, index) => ({ ...call, id: `${call["name"]}:${index}` })),
    keepsIds: false,
  },
  {
    name: "ids dropped",
    of: "agents of Gemini 2",
    replay: (parts) => eachCall(parts, ({ id: _, ...call }) => call),
    keepsIds: false,
  },
];

const joined = (parts: Parts, isThought: boolean): string =>
  parts
    .filter((part) => (part["thought"] === true) === isThought)
    .map((part) => text(part, "text"))
    .join("");

function open({ url, key, model, stream, thinking, habit }: Opening<Parts>): Dialogue {
  const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, timeout: 60_000 } });
  const contents: Part[] = [];
  const config = {
    systemInstruction: system,
    tools: [{ functionDeclarations: tools.map(({ schema, ...tool }) => ({ ...tool, parametersJsonSchema: schema })) }],
    ...(thinking ? { thinkingConfig: { includeThoughts: true, thinkingBudget: 4096 } } : {}),
  };

  async function ask(): Promise<Reply> {
    const request = { model, contents, config } as never;
    const replies: GenerateContentResponse[] = stream
      ? await Array.fromAsync(await google.models.generateContentStream(request))
      : [await google.models.generateContent(request)];
    const parts = replies.flatMap((reply) => list(reply, "candidates", 0, "content", "parts") as Part[]);
    const replayed = habit.replay(parts);
    contents.push({ role: "model", parts: replayed });
    return {
      text: joined(parts, false),
      thinking: joined(parts, true),
      calls: parts.flatMap(({ functionCall: call }) =>
        call === undefined ? [] : [{ id: text(call, "id"), name: text(call, "name"), input: at(call, "args") ?? {} }],
      ),
      warnings: String(replies[0]?.sdkHttpResponse?.headers?.["x-turnpike-warnings"] ?? ""),
    };
  }

  return {
    say(words) {
      contents.push({ role: "user", parts: [{ text: words }] });
      return ask();
    },
    answer(results) {
      const calls = ((contents.at(-1)?.["parts"] ?? []) as Part[]).flatMap(({ functionCall }) => functionCall ?? []);
      const parts = calls.map((call, index) => {
        const id = at(call, "id");
        const response = {
          ...(id === undefined ? {} : { id }),
          name: text(call, "name"),
          response: { output: results[index] },
        };
        return { functionResponse: response };
      });
      contents.push({ role: "user", parts });
      return ask();
    },
  };
}

export const geminiClients = clientsOf("gemini", /^gemini-/, habits, open);
