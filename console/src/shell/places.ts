// The places of the rail, with the letter that follows `g`.
import {
  Activity,
  Boxes,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Plug,
  Settings,
} from "lucide-react";
import { texts } from "../texts.ts";

export interface Place {
  readonly to: string;
  readonly title: string;
  readonly letter: string;
  readonly icon: LucideIcon;
}

const { places: names } = texts;

export const places: readonly Place[] = [
  { to: "/", title: names.overview, letter: "o", icon: LayoutDashboard },
  { to: "/requests", title: names.requests, letter: "r", icon: Activity },
  { to: "/playground", title: names.playground, letter: "p", icon: MessageSquare },
  { to: "/providers", title: names.providers, letter: "v", icon: Plug },
  { to: "/models", title: names.models, letter: "m", icon: Boxes },
  { to: "/keys", title: names.keys, letter: "k", icon: KeyRound },
  { to: "/settings", title: names.settings, letter: "s", icon: Settings },
];
