// The state of a task, as a word with a sign.
import { Mark, type Tone } from "../../ui/basics.tsx";

const tones: Readonly<Record<string, Tone>> = {
  completed: "ok",
  failed: "failing",
  cancelled: "warning",
  expired: "warning",
};

export const StateMark = ({ state }: { readonly state: string }) => (
  <Mark tone={tones[state] ?? "neutral"}>{state.replace("_", " ")}</Mark>
);
