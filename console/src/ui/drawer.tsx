// A drawer from the right for one thing, and a dialog for a form: both trap the focus and give it back.
import * as Dialog from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { texts } from "../texts.ts";
import { joined } from "./basics.tsx";
import { mayClose } from "./form.tsx";

interface PanelProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly children: ReactNode;
}

const places = {
  drawer: "inset-y-0 right-0 w-full max-w-2xl border-l",
  dialog: "top-[8vh] left-1/2 max-h-[84vh] w-[min(34rem,94vw)] -translate-x-1/2 rounded-lg border",
} as const;

function Panel({ title, isOpen, close, children, place }: PanelProps & { readonly place: keyof typeof places }) {
  const content = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => (open || !mayClose(content.current) ? undefined : close())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-black/30" />
        <Dialog.Content
          ref={content}
          aria-describedby={undefined}
          className={joined("fixed z-30 flex flex-col border-line bg-page shadow-xl", places[place])}
        >
          <div className="flex min-h-12 items-center gap-2 border-line border-b px-4">
            <Dialog.Title className="mr-auto truncate font-semibold">{title}</Dialog.Title>
            <Dialog.Close
              aria-label={texts.common.close}
              className="grid size-8 place-items-center rounded hover:bg-sunken"
            >
              <X size={16} aria-hidden />
            </Dialog.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export const Drawer = (props: PanelProps) => <Panel {...props} place="drawer" />;
export const Popup = (props: PanelProps) => <Panel {...props} place="dialog" />;
