// What all compatible providers of the table share, so that a row contains only its differences.
import type { UpstreamDialect } from "../dialects/dialect.ts";
import { openaiChat } from "../dialects/index.ts";
import { bearer } from "./credentials.ts";
import { readDataList } from "./model-list.ts";
import type { HttpKind } from "./provider.ts";
import { developerAsSystem } from "./request-quirks.ts";

/** A row of the table of compatible providers. */
export interface Preset
  extends Pick<
    HttpKind,
    | "name"
    | "environment"
    | "barePath"
    | "localPort"
    | "options"
    | "responsePatch"
    | "headers"
    | "access"
    | "defaultModels"
    | "videos"
    | "polling"
    | "supports"
    | "patches"
    | "paths"
  > {
  readonly baseUrl: string;
  /** In addition to chat. */
  readonly also?: readonly UpstreamDialect[];
}

const chatPath = "chat/completions";

/** The kind that a row describes. Its name is the origin of its state. */
export function preset({ also = [], patches = {}, ...row }: Preset): HttpKind {
  return {
    ...row,
    dialects: [openaiChat, ...also],
    origin: row.name,
    signer: bearer,
    listing: { path: "models", read: readDataList },
    patches: { ...patches, [chatPath]: [developerAsSystem, ...(patches[chatPath] ?? [])] },
  };
}
