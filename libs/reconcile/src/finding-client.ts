import type { KubeObject } from '@crate/api';

/** What looking for an object needs of a client; `TypedClient` offers it. */
export interface FindingClient<T extends KubeObject> {
  /** Undefined when absent. */
  find(name: string, namespace?: string): Promise<T | undefined>;
}
