// The session of the open console, and how it is left.
import { createContext } from "react";
import type { Session } from "../data/api.ts";

export const ShellSession = createContext<{ readonly session: Session; readonly leave: () => void } | null>(null);
