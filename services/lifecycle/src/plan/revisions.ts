import { createHash } from 'node:crypto';
import type { AddOn, KubeObject, Policy } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';

const LENGTH = 16;

/** What a plan was judged by, besides the cluster. */
export interface Revisions {
  readonly policyRevision: string;
  readonly catalogueRevision: string;
}

export interface RevisionPorts {
  readonly policies: Pick<TypedClient<Policy>, 'list'>;
  readonly catalogue: Pick<TypedClient<AddOn>, 'list'>;
}

/** Changes with every policy and add-on that comes, goes or is changed. */
export async function currentRevisions({ policies, catalogue }: RevisionPorts): Promise<Revisions> {
  const [rules, addOns] = await Promise.all([policies.list(), catalogue.list()]);
  return { policyRevision: revisionOf(rules), catalogueRevision: revisionOf(addOns) };
}

function revisionOf(objects: readonly KubeObject[]): string {
  const lines = objects.map(({ metadata }) => `${metadata.uid} ${metadata.generation}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, LENGTH);
}
