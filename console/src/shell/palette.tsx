// The command palette: pages, models, keys and request ids by one field.
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { useKeys, useModels } from "../data/queries.ts";
import { type Search, shared } from "../data/url.ts";
import { texts } from "../texts.ts";
import { joined } from "../ui/basics.tsx";
import { Popup } from "../ui/drawer.tsx";
import { places } from "./places.ts";

const words = texts.palette;

interface Choice {
  readonly id: string;
  readonly kind: keyof typeof words.kinds;
  readonly title: string;
  readonly to: string;
  readonly search: Search;
}

const maxShown = 12;
/** Ids of the gateway, and tokens that a client may have sent as its own. */
const looksLikeId = /^[\w.:-]{8,128}$/;

function useChoices(text: string): readonly Choice[] {
  const { data: keys = [] } = useKeys();
  const { data: models = [] } = useModels();
  const wanted = text.trim().toLowerCase();
  const all: readonly Choice[] = [
    ...places.map(({ to, title }) => ({ id: to, kind: "page" as const, title, to, search: {} })),
    ...keys.map(({ id, name }) => ({ id, kind: "key" as const, title: name, to: "/keys", search: { open: id } })),
    ...models.map(({ id }) => ({ id, kind: "model" as const, title: id, to: "/models", search: { open: id } })),
  ];
  const found = all.filter(({ title, id }) => `${title} ${id}`.toLowerCase().includes(wanted)).slice(0, maxShown);
  if (!looksLikeId.test(text.trim()) || found.some(({ title }) => title === text.trim())) return found;
  const open = text.trim();
  const request = { id: `request:${open}`, kind: "request" as const, title: `${words.openRequest} ${open}` };
  return [{ ...request, to: "/requests", search: { open } }, ...found];
}

export default function Palette({ close }: { readonly close: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const choices = useChoices(text);
  const navigate = useNavigate();
  const go = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    close();
    void navigate({ to: choice.to, search: ((before: Search) => ({ ...shared(before), ...choice.search })) as never });
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(choices.length - 1, at + step)));
    }
    if (event.key === "Enter") go(choices[at]);
  };
  return (
    <Popup title={words.title} isOpen close={close}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the palette is opened to type
        autoFocus
        role="combobox"
        aria-label={words.placeholder}
        aria-expanded
        aria-controls="palette-choices"
        aria-activedescendant={choices[at] === undefined ? undefined : `choice-${at}`}
        placeholder={words.placeholder}
        className="control w-full"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id="palette-choices" role="listbox" aria-label={words.title} className="mt-2">
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={choice.id}
            id={`choice-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={joined(
              "flex min-h-9 w-full cursor-pointer items-center gap-2 rounded px-2",
              index === at && "bg-sunken",
            )}
            onClick={() => go(choice)}
            onMouseMove={() => setAt(index)}
          >
            <span className="mr-auto truncate">{choice.title}</span>
            <span className="text-muted">{words.kinds[choice.kind]}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 ? <p className="p-2 text-muted">{words.empty}</p> : null}
    </Popup>
  );
}
