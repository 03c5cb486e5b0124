// The rules of an organization, a project, a key or an end user: one schema for the file, the store and the admin API.
import { type Static, type TSchema, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { isAddressRange } from "../../lib/address-set.ts";

const closed = { additionalProperties: false } as const;
const most = 1_000_000_000_000;

const names = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 1_000, description }));

const amount = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: most, description }));

export const priorities = ["high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];

/** Operations by their names in settings, bills and prices. */
export const operationNames = [
  "chat",
  "count",
  "embed",
  "rerank",
  "moderate",
  "image",
  "speak",
  "transcribe",
  "video",
] as const;

const rates = Type.Object(
  {
    requests_per_minute: amount("Requests, whatever their number of attempts."),
    tokens_per_minute: amount("Tokens of input that is not cached, of cache writes and of output."),
    images_per_minute: amount("Generated images."),
    audio_seconds_per_minute: amount("Seconds of audio that is generated or transcribed."),
    polls_per_minute: amount("Requests that ask no model: lists, tasks, token counts, repeated replies."),
    concurrent_requests: amount("Requests in progress at one time."),
  },
  closed,
);

const budget = Type.Object(
  {
    amount: Type.String({
      pattern: "^\\d{1,9}(?:\\.\\d{1,9})?$",
      description: "US dollars as a decimal string, such as `25.50`.",
    }),
    period: Type.Enum(["day", "week", "month", "total"], {
      description: "The window: a day, a week from Monday, a month, or all time.",
    }),
  },
  closed,
);

/** The fields of a level's rules, to be included among its own. */
export const ruleFields = {
  allowed_models: names("Models that may be named; `*` matches any text. If omitted, all."),
  refused_models: names("Models that may not be named, also where `allowed_models` has them."),
  allowed_operations: Type.Optional(
    Type.Array(Type.Enum([...operationNames]), { maxItems: 32, description: "If omitted, all operations." }),
  ),
  allowed_providers: names("Providers that may be asked, fallbacks too. If omitted, all."),
  refused_providers: names("Providers that may not be asked."),
  required_tags: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 256 }), {
      description: "Tags that a provider must have to be asked, such as `region: eu`.",
    }),
  ),
  allowed_addresses: names("Client addresses and ranges, such as `10.0.0.0/8`. If omitted, all."),
  limits: Type.Optional(rates),
  priority: Type.Optional(
    Type.Enum([...priorities], {
      description: "Whose requests are admitted first where a route lets them wait. Default `normal`.",
    }),
  ),
  budgets: Type.Optional(Type.Array(budget, { maxItems: 8, description: "All of them apply." })),
};

export const rulesSchema = Type.Object(ruleFields, closed);

/** An absent rule does not limit. */
export type Rules = Static<typeof rulesSchema>;
export type RateLimits = NonNullable<Rules["limits"]>;
export type Budget = NonNullable<Rules["budgets"]>[number];

/** Addresses are checked before the body is read, which names the end user. */
const { allowed_addresses: _addresses, ...endUserFields } = ruleFields;

const endUsers = Type.Object(
  {
    required: Type.Optional(Type.Boolean({ description: "Refuse requests that name no end user. Default false." })),
    max: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: "End users that are counted. Default 100000." }),
    ),
    default_rules: Type.Optional(Type.Object(endUserFields, { ...closed, description: "What each end user may do." })),
    rules: Type.Optional(
      Type.Record(Type.String({ maxLength: 512 }), Type.Object(endUserFields, closed), {
        description: "What one end user may do, in place of `default_rules`.",
      }),
    ),
  },
  closed,
);

/** Of which requests bodies are stored. */
export const bodyFields = {
  store: Type.Enum(["never", "errors", "sample", "all"], {
    description: "Requests whose bodies are stored: none, those that fail, a random sample, or all.",
  }),
  sample_percent: Type.Optional(
    Type.Number({ minimum: 0, maximum: 100, description: "Size of the sample. Default 1." }),
  ),
};

const bodyRule = Type.Object(bodyFields, closed);
export type BodyRule = Static<typeof bodyRule>;

const projectFields = {
  ...ruleFields,
  default_model: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: "The model of requests that name `default`, unless that is a route.",
    }),
  ),
  bodies: Type.Optional(
    Type.Object(bodyFields, { ...closed, description: "Bodies to store, in place of the top-level `bodies.store`." }),
  ),
  key_defaults: Type.Optional(
    Type.Object(ruleFields, {
      ...closed,
      description: "Rules of new keys of this project that bring none of their own.",
    }),
  ),
  end_users: Type.Optional(endUsers),
};

export const projectSchema = Type.Object(projectFields, closed);

/** A project's own rules, and the default rules of its keys and end users. */
export type ProjectRules = Static<typeof projectSchema>;

/** What is wrong with a rule beyond its schema. */
export interface RuleFault {
  readonly path: readonly string[];
  readonly problem: string;
}

/** Undefined if the rules of one level are valid. */
export function ruleFault({ allowed_addresses: addresses = [], budgets = [] }: Rules): RuleFault | undefined {
  const wrong = addresses.findIndex((text) => !isAddressRange(text));
  if (wrong >= 0)
    return { path: ["allowed_addresses", String(wrong)], problem: "is not an address or a range such as 10.0.0.0/8" };
  const twice = budgets.findIndex(({ period }, index) => budgets.slice(0, index).some((one) => one.period === period));
  if (twice >= 0) return { path: ["budgets", String(twice), "period"], problem: "has a budget already" };
  return undefined;
}

/** As `ruleFault`, for all rules of a project. */
export function projectFault({
  key_defaults,
  end_users,
  bodies: _bodies,
  default_model: _model,
  ...own
}: ProjectRules): RuleFault | undefined {
  const parts: [string[], Rules | undefined][] = [
    [[], own],
    [["key_defaults"], key_defaults],
    [["end_users", "default_rules"], end_users?.default_rules],
    ...Object.entries(end_users?.rules ?? {}).map(([id, rules]): [string[], Rules] => [
      ["end_users", "rules", id],
      rules,
    ]),
  ];
  for (const [place, rules = {}] of parts) {
    const fault = ruleFault(rules);
    if (fault !== undefined) return { ...fault, path: [...place, ...fault.path] };
  }
  return undefined;
}

/** Compiled at first use, so that a start without stored rules does not pay for it. */
function reader<Shape>(schema: TSchema, what: string): (text: string) => Shape {
  let validator: Validator | undefined;
  return (text) => {
    validator ??= Compile(schema);
    const value: unknown = JSON.parse(text);
    if (!validator.Check(value))
      throw new Error(`The stored rules of a ${what} do not have the shape that they must have.`);
    return value as Shape;
  };
}

const maxShared = 1_000;

/** The same object for the same text, because most keys share their rules with many others. */
function shared<Shape>(read: (text: string) => Shape): (text: string) => Shape {
  const known = new Map<string, Shape>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= maxShared) known.clear();
    const made = read(text);
    known.set(text, made);
    return made;
  };
}

/** From the JSON text of a row. Throws for an invalid text. */
export const readRules = shared(reader<Rules>(rulesSchema, "key"));
export const readProjectRules = reader<ProjectRules>(projectSchema, "project");

/** The rules of a new key: its own, and the missing ones from `defaults`. */
export const inherited = (own: Rules, defaults: Rules | undefined): Rules => ({ ...defaults, ...own });
