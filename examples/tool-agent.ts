// A small agent with the OpenAI SDK: the model calls a tool, the program answers, until there is text. Reads TURNPIKE_URL and TURNPIKE_KEY.
import OpenAI from "openai";

const client = new OpenAI({ baseURL: `${process.env["TURNPIKE_URL"]}/v1`, apiKey: process.env["TURNPIKE_KEY"] });
const model = process.env["TURNPIKE_MODEL"] ?? "sandbox/chat";

const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: "function",
    function: {
      name: "get_time",
      description: "The current time in a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "user", content: "Use get_time: what time is it in Oslo?" },
];
const maxTurns = 5;

for (let turn = 0; turn < maxTurns; turn++) {
  const completion = await client.chat.completions.create({ model, messages, tools });
  const message = completion.choices[0]?.message;
  if (message === undefined) break;
  messages.push(message);
  if (message.tool_calls === undefined || message.tool_calls.length === 0) {
    process.stdout.write(`${message.content ?? ""}\n`);
    break;
  }
  for (const call of message.tool_calls)
    messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify({ time: "12:00" }) });
}
