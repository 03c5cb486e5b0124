// The list of keyboard shortcuts.
import { texts } from "../texts.ts";
import { Popup } from "../ui/drawer.tsx";

export default function Help({ close }: { readonly close: () => void }) {
  return (
    <Popup title={texts.shell.shortcuts} isOpen close={close}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {texts.shortcuts.map(([keys, meaning]) => (
          <div key={keys} className="contents">
            <dt className="font-mono">{keys}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Popup>
  );
}
