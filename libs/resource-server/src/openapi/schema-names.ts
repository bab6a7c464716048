import type { KindInfo } from '@crate/resource-client';

/** The name of a kind's schema: its reversed group, version and kind, such as `dev.crate.lifecycle.v1alpha1.Cluster`. */
export function schemaName({ group, version, kind }: Pick<KindInfo, 'group' | 'version' | 'kind'>): string {
  const reversed = group === '' ? 'core' : group.split('.').reverse().join('.');
  return `${reversed}.${version}.${kind}`;
}
