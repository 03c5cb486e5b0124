// Every resource of the admin API.
import type { TObject } from "typebox";
import type { LedgerReader } from "../../gateway/ledger/reader.ts";
import type { Repricer } from "../../gateway/ledger/repricer.ts";
import type { Prices } from "../../gateway/prices/prices.ts";
import type { ModelLists } from "../../gateway/routing/model-lists.ts";
import type { Videos } from "../../gateway/tasks/videos.ts";
import type { AttentionDependencies } from "../attention.ts";
import type { LiveCatalog } from "../live-catalog.ts";
import type { Resource } from "../resource.ts";
import type { Sealer } from "../stored-entries.ts";
import { attention } from "./attention.ts";
import { audit } from "./audit.ts";
import { type BudgetDependencies, budgets } from "./budgets.ts";
import { type ClientEntry, clients } from "./clients.ts";
import { type EndUserDependencies, endUsers } from "./end-users.ts";
import { type KeyDependencies, keys } from "./keys.ts";
import { models } from "./models.ts";
import { prices } from "./prices.ts";
import { type ProjectDependencies, projects } from "./projects.ts";
import { type ProviderDependencies, providers } from "./providers.ts";
import { type RequestDependencies, requests } from "./requests.ts";
import type { ExplainDependencies } from "./route-explanation.ts";
import { routes } from "./routes.ts";
import { facets, series } from "./series.ts";
import { serviceTokens } from "./service-tokens.ts";
import { sessions } from "./sessions.ts";
import { type SettingEntry, settings } from "./settings.ts";
import { tasks } from "./tasks.ts";
import { usage } from "./usage.ts";
import { users } from "./users.ts";

export interface ResourceDependencies {
  /** For the hashes of tokens. */
  readonly pepper: Uint8Array;
  /** Entries of the configuration file. */
  readonly schemas: {
    readonly provider: TObject;
    readonly route: TObject;
    readonly cost: TObject;
    readonly price: TObject;
  };
  readonly sealer: Sealer;
  /** Values that change while the gateway runs are functions. */
  readonly catalog: () => LiveCatalog;
  readonly prices: () => Prices;
  readonly repricer: () => Repricer;
  readonly listings: () => ModelLists;
  readonly testProvider: ProviderDependencies["test"];
  readonly providerStates: ProviderDependencies["states"];
  readonly routeExplanation: ExplainDependencies;
  readonly reader: () => LedgerReader;
  readonly attempts: RequestDependencies["attempts"];
  readonly adjustments: RequestDependencies["adjustments"];
  readonly explained: RequestDependencies["explained"];
  readonly bodies: RequestDependencies["bodies"];
  readonly cancel: RequestDependencies["cancel"];
  readonly dataFolder: EndUserDependencies["dataFolder"];
  readonly endUsersChanged: EndUserDependencies["endUsersChanged"];
  readonly videos: () => Videos;
  readonly declaredKeys: KeyDependencies["declaredKeys"];
  readonly declaredProjects: ProjectDependencies["declaredProjects"];
  readonly projectLine: ProjectDependencies["projectLine"];
  readonly keysChanged: KeyDependencies["keysChanged"];
  readonly attention: Omit<AttentionDependencies, keyof BudgetDependencies | "reader" | "wallMs">;
  readonly budgets: Omit<BudgetDependencies, "declaredKeys">;
  readonly settings: () => readonly SettingEntry[];
  readonly clients: (to: { url: string; model: string }) => readonly ClientEntry[];
}

export function adminResources(dependencies: ResourceDependencies): readonly Resource[] {
  const { pepper, catalog, sealer, schemas } = dependencies;
  const { declaredKeys, reader } = dependencies;
  const budgetParts = { ...dependencies.budgets, declaredKeys };
  return [
    attention({
      ...budgetParts,
      ...dependencies.attention,
      reader,
      wallMs: (ms) => dependencies.providerStates.wallMs(ms),
    }),
    budgets(budgetParts),
    keys(dependencies),
    projects(dependencies),
    serviceTokens(pepper),
    sessions,
    users(pepper),
    audit,
    usage(dependencies.reader),
    series(dependencies.reader),
    facets(dependencies.reader),
    requests(dependencies),
    endUsers(dependencies),
    tasks(dependencies.videos),
    providers({
      ...{ catalog, sealer, schema: schemas.provider },
      ...{ test: dependencies.testProvider, states: dependencies.providerStates },
    }),
    models({ catalog, listings: dependencies.listings }),
    routes({ catalog, schema: schemas.route, ...dependencies.routeExplanation }),
    prices({ catalog, prices: dependencies.prices, repricer: dependencies.repricer, schemas }),
    settings(dependencies.settings),
    clients(dependencies.clients),
  ];
}
