// A model in a provider's own list.

/** A model as a provider lists it. `createdAt` in Unix seconds. */
export interface ListedModel {
  readonly id: string;
  readonly displayName?: string;
  readonly createdAt?: number;
  readonly ownedBy?: string;
}
