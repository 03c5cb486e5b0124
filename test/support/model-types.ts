// Facts that vendors publish about their models, extracted from their packages into test/fixtures/models.

export interface Publication {
  readonly package: string;
  readonly version: string;
  readonly checkedOn: string;
}

/** The facts of one vendor, with the package and version that they are from. */
export async function publishedTypes<Facts>(vendor: string): Promise<Facts & Publication> {
  return await Bun.file(new URL(`../fixtures/models/${vendor}.json`, import.meta.url)).json();
}
