// Light and dark: as the system, until a person chooses.
import { remember, remembered } from "../data/memory.ts";

export type Theme = "system" | "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");

export const chosenTheme = (): Theme => remembered<Theme>("theme", "system");

export function applyTheme(): void {
  const theme = chosenTheme();
  const isDark = theme === "dark" || (theme === "system" && system.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}

export function chooseTheme(theme: Theme): void {
  remember("theme", theme);
  applyTheme();
}

system.addEventListener("change", applyTheme);

// The entry page names its icon by a path that is relative to where it was loaded, and the address changes.
for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=icon]")) link.href = new URL(link.href).href;
