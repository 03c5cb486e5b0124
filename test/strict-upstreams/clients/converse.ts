// A client of Bedrock's Converse as AWS documents it, to try the strict upstream with: the gateway has no such format.
// https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
import { at, list } from "../../support/chat-stream-reader.ts";
import { system, tools } from "../dialogue.ts";
import { clientsOf, type Dialogue, type Habit, type Opening, type Reply } from "./client.ts";

type Block = Record<string, unknown>;
const habits: readonly Habit<readonly Block[]>[] = [{ name: "all blocks", of: "AWS SDK", replay: (blocks) => blocks }];

const textsOf = (blocks: readonly Block[]): string => blocks.map((block) => block["text"] ?? "").join("");

function open({ url, model, thinking, habit }: Opening<readonly Block[]>): Dialogue {
  const messages: Block[] = [];
  const body = {
    messages,
    system: [{ text: system }],
    toolConfig: {
      tools: tools.map(({ schema, ...tool }) => ({ toolSpec: { ...tool, inputSchema: { json: schema } } })),
    },
    ...(thinking ? { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 4096 } } } : {}),
  };

  async function ask(): Promise<Reply> {
    const answer = await fetch(`${url}/model/${model}/converse`, { method: "POST", body: JSON.stringify(body) });
    const reply: unknown = await answer.json();
    const blocks = list(reply, "output", "message", "content") as Block[];
    messages.push({ role: "assistant", content: habit.replay(blocks) });
    return { text: textsOf(blocks), thinking: "", calls: [], warnings: "" };
  }

  return {
    say(words) {
      messages.push({ role: "user", content: [{ text: words }] });
      return ask();
    },
    answer(results) {
      const uses = list(messages.at(-1), "content").flatMap((block) => at(block, "toolUse") ?? []);
      const content = uses.map((use, index) => ({
        toolResult: { toolUseId: at(use, "toolUseId"), content: [{ text: results[index] }], status: "success" },
      }));
      messages.push({ role: "user", content });
      return ask();
    },
  };
}

export const converseClients = clientsOf("converse", /^bedrock-converse$/, habits, open);
