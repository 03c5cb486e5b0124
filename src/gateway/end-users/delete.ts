// Deletes an end user: its content in the store at once, and an entry in the list that every instance follows.
import { randomId } from "../../lib/ids.ts";
import { hashKey } from "../../lib/secret.ts";
import { deleteContentOf, endUserKey, insertErasure } from "../../store/end-users.ts";
import type { Store } from "../../store/store.ts";

/** Names an end user where its id must not be. */
export const referenceOf = (pepper: Uint8Array, project: string, endUser: string): string =>
  hashKey(pepper, `end-user:${endUserKey(project, endUser)}`);

interface EndUserDeletion {
  /** Replaces the id in rows. The id cannot be derived from it. */
  readonly marker: string;
  readonly responses: number;
  readonly videos: number;
}

interface EndUserToDelete {
  readonly pepper: Uint8Array;
  readonly project: string;
  readonly endUser: string;
  readonly nowMs: number;
}

/** In a transaction that has locked the audit log. Doing it again finds nothing more. */
export async function deleteEndUser(
  inside: Store,
  { pepper, project, endUser, nowMs }: EndUserToDelete,
): Promise<EndUserDeletion> {
  const marker = randomId("deleted_");
  await insertErasure(inside, { reference: referenceOf(pepper, project, endUser), marker, untilMs: nowMs });
  return { marker, ...(await deleteContentOf(inside, endUserKey(project, endUser), nowMs)) };
}
