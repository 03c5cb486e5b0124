// What all compatible providers of the table have in common, so that a row says only what is its own.
import type { Dialect } from "../dialects/dialect.ts";
import { openaiChat } from "../dialects/index.ts";
import { bearer } from "./authentication.ts";
import { readDataList } from "./model-list.ts";
import type { ProviderKind } from "./provider.ts";
import { developerAsSystem, mending, type Patch } from "./request-quirks.ts";

/** A row of the table of compatible providers. */
export interface Preset
  extends Pick<
    ProviderKind,
    | "kind"
    | "environment"
    | "barePath"
    | "localPort"
    | "options"
    | "mendReply"
    | "headers"
    | "account"
    | "usualModels"
    | "videos"
    | "follows"
    | "speaks"
  > {
  readonly baseUrl: string;
  /** Beside chat. */
  readonly also?: readonly Dialect[];
  /** Habits of its own, by path. */
  readonly mends?: { readonly [path: string]: readonly Patch[] };
  /** Paths of its own for paths of the dialects. */
  readonly paths?: { readonly [path: string]: string };
}

const chatPath = "chat/completions";

/** The kind that a row describes. Its own name is the tag of the state that it makes. */
export function preset({ also = [], mends = {}, paths = {}, ...row }: Preset): ProviderKind {
  const mend = mending({ ...mends, [chatPath]: [developerAsSystem, ...(mends[chatPath] ?? [])] });
  return {
    ...row,
    dialects: [openaiChat, ...also],
    origin: row.kind,
    authorize: bearer,
    listing: { path: "models", read: readDataList },
    mendCall(call) {
      const path = paths[call.path];
      return path === undefined ? mend(call) : { ...mend(call), path };
    },
  };
}
