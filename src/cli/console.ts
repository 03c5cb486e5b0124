// `turnpike console`: a new one-time link that signs in to the console.
import { createSignInToken, signInUrl } from "../admin/sessions.ts";
import { consoleBase } from "./address.ts";
import { audited } from "./audit.ts";
import { canOpenBrowser, openBrowser } from "./browser.ts";
import { withStore } from "./open.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { jsonText } from "./print.ts";

async function printLink(words: readonly string[]): Promise<void> {
  const options = { json: { type: "boolean" }, open: { type: "boolean" }, url: { type: "string" } } as const;
  const { values } = parseCommonFields(words, options);
  await withStore(async ({ settings, store, pepper }) => {
    const entry = { action: "create_link", resource: "sessions", objectId: "link" };
    const token = await audited(store, entry, (inside) => createSignInToken(inside, pepper, Date.now()));
    const url = signInUrl(consoleBase(settings, values.url), token);
    console.log(values.json ? jsonText({ url }) : `${url}\nThe link signs in once, within 30 minutes.`);
    if (values.open && canOpenBrowser(process.env)) openBrowser(url);
  });
}

export const consoleCommand: Command = {
  usage: "turnpike console",
  summary: "print a one-time link that signs in to the console",
  options: {
    "--open": "open it in the browser",
    "--url URL": "address of the gateway; default: TURNPIKE_PUBLIC_URL, or HOST and PORT",
    "--json": "print JSON",
  },
  run: printLink,
};
