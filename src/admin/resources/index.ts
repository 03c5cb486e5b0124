// Every resource of the admin API.
import type { Resource } from "../resource.ts";
import { audit } from "./audit.ts";
import { serviceTokens } from "./service-tokens.ts";

export interface ResourceDependencies {
  /** Under which tokens are hashed. */
  readonly pepper: Uint8Array;
}

export function adminResources(dependencies: ResourceDependencies): readonly Resource[] {
  return [serviceTokens(dependencies.pepper), audit];
}
