import { notFound, type PlatformError } from '@crate/errors';

/** A container cannot start yet: what it takes its variables or files from is not there. */
export function missing(kind: 'Secret' | 'ConfigMap' | 'ServiceAccount', name: string, key?: string): PlatformError {
  return notFound(kind, key === undefined ? name : `${name}, key ${key}`);
}
