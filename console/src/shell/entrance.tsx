// The frame of the pages before the console: a title, a sentence, and a form.
import type { ReactNode } from "react";
import { texts } from "../texts.ts";

interface EntranceProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

export function Entrance({ title, lead, children }: EntranceProps) {
  return (
    <main className="grid min-h-full place-items-center p-4">
      <div className="w-full max-w-sm">
        <p className="mb-4 font-semibold text-muted">{texts.product}</p>
        <h1 className="mb-1 font-semibold text-lg">{title}</h1>
        <div className="mb-4 text-muted">{lead}</div>
        {children}
      </div>
    </main>
  );
}
