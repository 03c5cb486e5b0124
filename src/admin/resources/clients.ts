// Clients: the settings with which each uses this gateway, as `turnpike connect` prints them.
import { Type } from "typebox";
import type { JsonObject } from "../../lib/json.ts";
import { closed, nullable, shortText, text } from "../fields.ts";
import { list, type Resource } from "../resource.ts";

/** A client with its settings, for a URL and a model. */
export interface ClientEntry {
  readonly id: string;
  readonly title: string;
  readonly note: string | null;
  readonly blocks: readonly {
    readonly file: string | null;
    readonly text: string;
    readonly text_with_key: string;
  }[];
}

/** In the place of a client key, which is never sent here. */
export const keyPlaceholder = "tp-your-key";

const object = Type.Object({
  object: Type.Literal("client"),
  id: text("The name of the client, as for `turnpike connect`."),
  title: text("The name of the program."),
  note: nullable(text("Additional instructions.")),
  blocks: Type.Array(
    Type.Object({
      file: nullable(text("The file of the settings; null for lines of a shell or a program.")),
      text: text("The settings, with the variable TURNPIKE_KEY where the client reads one."),
      text_with_key: text(`The settings with \`${keyPlaceholder}\` in the place of the key.`),
    }),
    { description: "Files, or lines to run." },
  ),
});

const filters = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        ...{ pattern: "^https?://[^\\s\"'`$\\\\]+$", maxLength: 2_000 },
        description: "The address of the gateway. Default: the one of this request.",
      }),
    ),
    model: Type.Optional(shortText("The model in the settings. Default `sandbox/chat`.")),
  },
  closed,
);

export function clients(entries: (to: { url: string; model: string }) => readonly ClientEntry[]): Resource {
  return {
    ...{ name: "clients", title: "client", object },
    list: list(filters, [0], async ({ base }, { filters: { url = base, model = "sandbox/chat" }, limit, after }) => {
      const all = entries({ url: url.replace(/\/+$/, ""), model });
      const begin = Number(after?.[0] ?? 0);
      const data = all.slice(begin, begin + limit).map(
        (entry): JsonObject => ({
          object: "client",
          ...{ id: entry.id, title: entry.title, note: entry.note },
          blocks: entry.blocks.map((block) => ({ ...block })),
        }),
      );
      return { data, next: all.length > begin + limit ? [begin + limit] : null };
    }),
  };
}
