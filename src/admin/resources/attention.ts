// Attention: everything that an operator should look at now, in one list, the worst first.
import { Type } from "typebox";
import type { JsonObject } from "../../lib/json.ts";
import { type AttentionDependencies, attentionNow, type Item, kinds } from "../attention.ts";
import { closed, isoTimeOrNull, nullable, text, time } from "../fields.ts";
import { mayUse } from "../permissions.ts";
import { list, type Resource } from "../resource.ts";

const object = Type.Object({
  object: Type.Literal("attention"),
  id: text("The same as long as it lasts."),
  kind: Type.Enum(Object.keys(kinds), { description: "What is wrong. Alerts have the same names." }),
  severity: Type.Enum(["failing", "warning"], { description: "`failing`: requests fail, or will." }),
  resource: text("The resource of the object, such as `keys`; `settings` for the gateway itself."),
  object_id: nullable(text("ID of the object.")),
  name: text("Name of the object."),
  since: nullable(time("When it began, where that is recorded.")),
  message: text("A sentence."),
  figures: Type.Object({}, { description: "The figures that the sentence is made of. Money is in US dollars." }),
});

const filters = Type.Object(
  {
    severity: Type.Optional(
      Type.Enum(["failing", "warning"], { type: "string", description: "Only of this severity." }),
    ),
  },
  closed,
);

const written = ({ id, kind, severity, about, name, sinceMs, message, figures }: Item): JsonObject => ({
  object: "attention",
  ...{ id, kind, severity, resource: about[0], object_id: about[1], name },
  ...{ since: isoTimeOrNull(sinceMs), message, figures },
});

const rank = ({ severity }: Item): number => (severity === "failing" ? 0 : 1);

/** What the caller may not list is left out. */
export function attention(dependencies: AttentionDependencies): Resource {
  return {
    ...{ name: "attention", title: "item", object },
    list: list(filters, [0], async (context, { filters: { severity }, limit, after }) => {
      const { principal } = context;
      const found = (await attentionNow(dependencies, context))
        .filter((item) => severity === undefined || item.severity === severity)
        .filter(({ about }) => mayUse(principal, about[0], "list"))
        .filter(({ showsCosts }) => showsCosts !== true || principal.roles.some((role) => costReaders.includes(role)))
        .sort((one, other) => rank(one) - rank(other));
      const begin = Number(after?.[0] ?? 0);
      const end = begin + limit;
      return { data: found.slice(begin, end).map(written), next: found.length > end ? [end] : null };
    }),
  };
}

const costReaders: readonly string[] = ["operator", "costs:read"];
