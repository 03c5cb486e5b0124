// Objects of the admin API as the pages use them, with names for their parts.
import { formRules } from "./form-rules.ts";
import type { BudgetRow, PriceList, RequestRow, Task } from "./served.ts";

export type {
  AttentionItem,
  AuditEntry,
  BudgetRow,
  Client,
  Key,
  Model,
  OpenSession,
  PriceEntry,
  PriceList,
  Project,
  Provider,
  RequestRow,
  SeriesRow,
  ServiceToken,
  Setting,
  Task,
  UsageRow,
  User,
} from "./served.ts";

export type Tokens = Readonly<Record<string, number>>;
export type Attempt = NonNullable<RequestRow["attempt_list"]>[number];
export type Decision = NonNullable<RequestRow["decisions"]>[number];
export type Timings = NonNullable<RequestRow["timings"]>;
export type PriceTerm = NonNullable<RequestRow["terms"]>[number];
export type Poll = NonNullable<Task["polls"]>[number];
export type PriceRow = PriceList["rows"][number];

/** What a key or a project allows. The rest of it is not shown in forms. */
export interface Rules {
  readonly allowed_models?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  readonly budgets?: readonly Budget[];
  readonly [rule: string]: unknown;
}

export interface Budget {
  readonly amount: string;
  readonly period: BudgetRow["period"];
}

export const userRoles = formRules.users.role.enum;
