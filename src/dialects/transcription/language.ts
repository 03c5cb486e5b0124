// Names of languages: clients read an English name in lower case, upstreams tell codes of two or three letters.
const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
const code = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;

/** `english` for `en`, `eng` and `english`; empty where nothing is known. */
export function languageName(language: string | undefined): string {
  if (language === undefined || !code.test(language)) return language?.toLowerCase() ?? "";
  return (names.of(language) ?? language).toLowerCase();
}
