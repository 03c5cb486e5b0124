// Playground: a chat in any client format over the client endpoints, with one model or several side by side.
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { namesIn } from "../data/catalog.ts";
import { useModels } from "../data/queries.ts";
import { useSearch } from "../data/url.ts";
import { fill, texts } from "../texts.ts";
import { Button, Code, Heading, Section } from "../ui/basics.tsx";
import { Field } from "../ui/form.tsx";
import { Failure } from "../ui/states.tsx";
import { type FormatName, formats } from "./playground/chat.ts";
import { codeOf, type Language, languages } from "./playground/code.ts";
import { ConversationView } from "./playground/conversation.tsx";
import { Images } from "./playground/images.tsx";
import type { Chat, Effort, Message, Output, Part, Tool } from "./playground/message.ts";
import { type OpenedRequest, openRequest } from "./playground/stored-request.ts";
import { useChats } from "./playground/use-chats.ts";

const words = texts.playground;

interface Values {
  readonly key: string;
  readonly system: string;
  readonly tools: string;
  readonly effort: string;
  readonly output: string;
  readonly temperature: string;
  readonly maxTokens: string;
}

const noValues: Values = { key: "", system: "", tools: "", effort: "", output: "", temperature: "", maxTokens: "" };

const numberOf = (text: string): number | null =>
  text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);

/** What is requested: only text where the format has nothing else. */
const outputOf = (format: FormatName, output: string): Output =>
  formats[format].outputs.find((each) => each === output) ?? "";

/** The tools of the field; a text says what is wrong with it. */
function toolsOf(text: string): readonly Tool[] | string {
  if (text.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    const list = (Array.isArray(value) ? value : [value]) as readonly Partial<Tool>[];
    if (list.some((tool) => typeof tool?.name !== "string")) return words.toolsInvalid;
    return list.map((tool) => ({ ...tool, name: tool.name ?? "", parameters: tool.parameters ?? { type: "object" } }));
  } catch {
    return words.toolsInvalid;
  }
}

const chatOf = (
  values: Values,
  format: FormatName,
  tools: readonly Tool[] | string,
): Omit<Chat, "model" | "messages"> => ({
  system: values.system,
  tools: typeof tools === "string" ? [] : tools,
  effort: values.effort as Effort,
  output: outputOf(format, values.output),
  temperature: numberOf(values.temperature),
  maxTokens: numberOf(values.maxTokens),
});

interface SettingsProps {
  readonly values: Values;
  readonly change: (values: Values) => void;
  readonly format: FormatName;
  readonly model: string;
  readonly others: string;
  readonly toolsError: string | undefined;
}

const titles = Object.entries(formats).map(([name, { title }]) => [name, title] as const);

function Settings({ values, change, format, model, others, toolsError }: SettingsProps) {
  const [, changeUrl] = useSearch();
  const { data: models = [] } = useModels();
  const set = (name: keyof Values) => (value: string) => change({ ...values, [name]: value });
  return (
    <div className="flex flex-col gap-3">
      <Field label={words.format} value={format} change={(value) => changeUrl({ format: value })} options={titles} />
      <Field
        label={words.model}
        value={model}
        change={(value) => changeUrl({ model: value })}
        suggestions={models.map(({ id }) => id)}
      />
      <Field
        label={words.others}
        value={others}
        change={(value) => changeUrl({ others: value })}
        hint={words.othersHint}
      />
      <Field label={words.key} type="password" value={values.key} change={set("key")} hint={words.keyHint} />
      <Field label={words.system} rows={3} value={values.system} change={set("system")} />
      <Field
        label={words.tools}
        rows={4}
        value={values.tools}
        change={set("tools")}
        placeholder={words.toolsExample}
        error={toolsError}
      />
      <Field
        label={words.effort}
        value={values.effort}
        change={set("effort")}
        options={Object.entries(words.efforts).map(([name, title]) => [name === "none" ? "" : name, title] as const)}
      />
      <Field
        label={words.output}
        value={values.output}
        change={set("output")}
        options={Object.entries(words.outputs).map(([name, title]) => [name === "none" ? "" : name, title] as const)}
        {...(outputOf(format, values.output) === values.output ? {} : { hint: words.noOutput })}
      />
      <div className="grid grid-cols-2 gap-3">
        <Field label={words.temperature} value={values.temperature} change={set("temperature")} />
        <Field label={words.maxTokens} type="number" value={values.maxTokens} change={set("maxTokens")} />
      </div>
    </div>
  );
}

function CodeView({ format, chat }: { readonly format: FormatName; readonly chat: Chat }) {
  const [language, setLanguage] = useState<Language>("curl");
  const choice = (
    <Field
      label={words.language}
      value={language}
      change={(value) => setLanguage(value as Language)}
      options={Object.entries(languages)}
    />
  );
  return (
    <Section title={words.code}>
      <div className="mb-2 max-w-48">{choice}</div>
      <Code label={words.code}>{codeOf(format, chat, language)}</Code>
    </Section>
  );
}

/** Takes a request of the list over, once. */
function useOpened(id: string | undefined, take: (opened: OpenedRequest) => void) {
  const query = useQuery({
    queryKey: ["playground-request", id],
    queryFn: () => openRequest(id ?? ""),
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a request that was just read is taken over
  useEffect(() => {
    if (data !== undefined) take(data);
  }, [data]);
  return query;
}

export default function Playground() {
  const [search, changeUrl] = useSearch();
  const { data: models = [] } = useModels();
  const [values, setValues] = useState(noValues);
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly string[]>([]);
  const chats = useChats();
  const format: FormatName = (search["format"] ?? "") in formats ? (search["format"] as FormatName) : "chat";
  const model = search["model"] ?? models.find(({ kind }) => kind === "route")?.id ?? "sandbox/chat";
  const others = search["others"] ?? "";
  const requested = [...new Set([model, ...namesIn(others)])];
  const opened = useOpened(search["request"], (request) => {
    changeUrl({ format: request.format, model: request.model });
    const last = request.messages.at(-1);
    const isQuestion = last?.role === "user";
    setValues({ ...values, system: request.system });
    chats.open(request.model, isQuestion ? request.messages.slice(0, -1) : request.messages);
    const parts = isQuestion ? last.parts : [];
    setText(parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(""));
    setImages(parts.flatMap((part) => (part.kind === "image" ? [part.url] : [])));
  });
  const tools = toolsOf(values.tools);
  const common = chatOf(values, format, tools);
  const ask = (name: string, messages: readonly Message[]) =>
    void chats.ask(name, { ...common, format, key: values.key }, messages);
  const isRunning = requested.some((name) => chats.of(name).answer !== null);
  const parts: readonly Part[] = [
    ...images.map((url) => ({ kind: "image" as const, url })),
    ...(text === "" ? [] : [{ kind: "text" as const, text }]),
  ];
  const message: Message = { role: "user", parts };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (parts.length === 0 || isRunning || typeof tools === "string") return;
    for (const name of requested) ask(name, [...chats.of(name).messages, message]);
    setText("");
    setImages([]);
  };
  const { messages } = chats.of(model);
  const chat: Chat = { ...common, model, messages: parts.length === 0 ? messages : [...messages, message] };
  const missing = opened.data?.missing ?? null;
  return (
    <>
      <Heading title={words.title} />
      {opened.error === null ? null : <Failure error={opened.error} />}
      {missing === null ? null : (
        <p role="status" className="mb-3 text-muted">
          {words.missing[missing]}
        </p>
      )}
      <div className="grid gap-6 lg:grid-cols-[18rem_1fr]">
        <Settings
          values={values}
          change={setValues}
          {...{ format, model, others }}
          toolsError={typeof tools === "string" ? tools : undefined}
        />
        <div className="min-w-0">
          <div className={requested.length > 1 ? "grid gap-6 md:grid-cols-[repeat(auto-fit,minmax(16rem,1fr))]" : ""}>
            {requested.map((name) => (
              <ConversationView
                key={name}
                title={requested.length > 1 ? name : null}
                conversation={chats.of(name)}
                reply={(next) => ask(name, next)}
                use={(url) => setImages((before) => (before.includes(url) ? before : [...before, url]))}
              />
            ))}
          </div>
          <form onSubmit={submit} className="mt-3 flex flex-col gap-2">
            <Field label={words.message} rows={3} value={text} change={setText} />
            <Images images={images} change={setImages} />
            <div className="flex justify-end gap-2">
              {messages.length > 0 && !isRunning ? <Button onClick={chats.clear}>{words.clear}</Button> : null}
              {isRunning ? <Button onClick={chats.stop}>{words.stop}</Button> : null}
              <Button look="main" type="submit" disabled={isRunning}>
                {requested.length > 1 ? fill(words.sendTo, { count: requested.length }) : words.send}
              </Button>
            </div>
          </form>
          <CodeView format={format} chat={chat} />
        </div>
      </div>
    </>
  );
}
