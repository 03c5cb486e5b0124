// The filters of requests: the usual ones in a row, the rest behind a switch; each is in the URL.
import { SlidersHorizontal } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { formRules } from "../../data/form-rules.ts";
import { useKeys } from "../../data/queries.ts";
import type { Search } from "../../data/url.ts";
import { texts } from "../../texts.ts";
import { Button } from "../../ui/basics.tsx";
import { Field } from "../../ui/form.tsx";

const words = texts.requests.filters;
type Name = keyof typeof words;
export const filterNames = Object.keys(words) as Name[];
const usual: readonly Name[] = ["model", "state", "key_id"];

const choices: Partial<Record<Name, readonly string[]>> = {
  state: formRules.requests.state.enum,
  operation: formRules.keys["rules.allowed_operations"].enum,
};

interface FilterProps {
  readonly name: Name;
  readonly value: string;
  readonly change: (search: Search) => void;
  readonly options?: readonly (readonly [string, string])[];
}

const delayMs = 300;

/** A text is applied when the typing pauses. */
function Filter({ name, value, change, options }: FilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => change({ [name]: text.trim() || undefined }), delayMs);
    return () => clearTimeout(timer);
  }, [text, value, name, change]);
  const listed = choices[name]?.map((each) => [each, each] as const) ?? options;
  const more = listed === undefined ? {} : { options: [["", texts.common.all] as const, ...listed] };
  return <Field label={words[name]} value={text} change={setText} className="w-36 max-sm:w-[47%]" {...more} />;
}

export function Filters({
  search,
  change,
  children,
}: {
  search: Search;
  change: (search: Search) => void;
  children: ReactNode;
}) {
  const isSet = filterNames.some((name) => !usual.includes(name) && search[name] !== undefined);
  const [isOpen, setOpen] = useState(isSet);
  const { data: keys = [] } = useKeys();
  const keyOptions = keys.map(({ id, name }) => [id, name] as const);
  const shown = isOpen ? filterNames : usual;
  return (
    <search data-filter className="mb-2 flex flex-wrap items-end gap-2">
      {[...usual, ...shown.filter((name) => !usual.includes(name))].map((name) => (
        <Filter
          key={name}
          name={name}
          value={search[name] ?? ""}
          change={change}
          {...(name === "key_id" ? { options: keyOptions } : {})}
        />
      ))}
      <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <SlidersHorizontal size={14} aria-hidden />
        {texts.common.filter}
      </Button>
      <div className="ml-auto">{children}</div>
    </search>
  );
}
