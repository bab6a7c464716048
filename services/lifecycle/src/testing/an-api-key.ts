import { API_KEY, type ApiKey, type Project } from '@crate/api';
import { aMeta } from './a-cluster.js';

/** A valid key `ci` of `team-a`; each call returns a changed copy. */
export function anApiKey(spec: Record<string, unknown> = {}): ApiKey {
  const parsed = API_KEY.body.parse({ spec: { role: 'operator', ...spec } }) as { spec: ApiKey['spec'] };
  return { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'APIKey', metadata: aMeta('ci'), ...parsed };
}

/** Some objects, found by name. */
export class Found<T extends ApiKey | Project> {
  constructor(public object: T | undefined) {}

  find(name: string): Promise<T | undefined> {
    return Promise.resolve(this.object?.metadata.name === name ? this.object : undefined);
  }
}
