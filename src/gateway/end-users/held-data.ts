// Everything that is held about an end user, object by object: requests, stored bodies, stored responses, videos.
import type { Json } from "../../lib/json.ts";
import { endUserKey, responsesOf, tasksOf } from "../../store/end-users.ts";
import type { Store } from "../../store/store.ts";
import { readBodies } from "../bodies/body-file.ts";
import type { RequestListQuery, RequestPage } from "../ledger/request-list.ts";
import { readColumn } from "../responses/stored-json.ts";
import { taskOf } from "../tasks/task.ts";

interface HeldDataSources {
  readonly store: Store;
  readonly dataFolder: string;
  requests(query: RequestListQuery): Promise<RequestPage> | RequestPage;
}

/** `type` is `request`, `body`, `response` or `video`. */
type HeldObject = { readonly type: string } & Readonly<Record<string, unknown>>;

const pageRows = 200;

async function* requestsOf(
  { requests, dataFolder }: HeldDataSources,
  project: string,
  endUser: string,
): AsyncGenerator<HeldObject> {
  const filter = { project, endUser };
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: RequestPage = await requests({ filter, limit: pageRows, ...(cursor === "" ? {} : { cursor }) });
    for (const { n: _number, settledSeq: _place, ...row } of page.rows) {
      yield { type: "request", ...row };
      for (const body of readBodies(dataFolder, row.id)) yield { type: "body", requestId: row.id, ...body };
    }
    cursor = page.next;
  }
}

/** Rows and bodies are those of this data folder; responses and videos those of the store. */
export async function* heldData(
  sources: HeldDataSources,
  project: string,
  endUser: string,
): AsyncGenerator<HeldObject> {
  const { store } = sources;
  yield* requestsOf(sources, project, endUser);
  const key = endUserKey(project, endUser);
  for (const row of await responsesOf(store, key)) {
    const { id, ownerKeyId: keyId, state, createdAtMs } = row;
    const [input, response]: (Json | undefined)[] = [
      await readColumn(store, row.input),
      await readColumn(store, row.body),
    ];
    yield { type: "response", id, keyId, state, createdAtMs, input, response };
  }
  for (const row of await tasksOf(store, key)) {
    const { id, ownerKeyId: keyId, provider, state, createdAtMs, view } = taskOf(row);
    yield { type: "video", id, keyId, provider, state, createdAtMs, view };
  }
}
