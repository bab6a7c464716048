import { conflict, type ErrorCause, type PlatformError } from '@crate/errors';
import type { FieldSet } from './field-set.js';
import type { Manager } from './managed-fields.js';
import { describePath } from './path-element.js';

/** Fields that another manager owns and the applier states differently. */
export interface OwnershipConflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** The 409 of server-side apply: one cause per manager and field, worded as Kubernetes words it. */
export function fieldManagerConflict(conflicts: readonly OwnershipConflict[]): PlatformError {
  const sorted = [...conflicts].sort((a, b) => (a.manager.name < b.manager.name ? -1 : 1));
  const causes = sorted.flatMap(causesOf);
  const noun = causes.length === 1 ? 'conflict' : 'conflicts';
  return conflict(`Apply failed with ${causes.length} ${noun}: ${describe(sorted)}`, { causes });
}

function causesOf({ manager, fields }: OwnershipConflict): ErrorCause[] {
  return [...fields.paths()].map((path) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${describeManager(manager)}`,
    field: describePath(path),
  }));
}

function describe(conflicts: readonly OwnershipConflict[]): string {
  return conflicts
    .map(({ manager, fields }) => {
      const paths = [...fields.paths()].map(describePath);
      const owner = describeManager(manager);
      if (paths.length === 1) return `conflict with ${owner}: ${paths.join()}`;
      return `conflicts with ${owner}:\n${paths.map((path) => `- ${path}`).join('\n')}`;
    })
    .join('\n');
}

/** Source: printManager in https://github.com/kubernetes/apimachinery/blob/master/pkg/util/managedfields/internal/conflict.go */
function describeManager({ name, operation, apiVersion, subresource, time }: Manager): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const who = `${JSON.stringify(name)}${through}`;
  if (operation === 'Apply') return who;
  return `${who}${apiVersion === '' ? '' : ` using ${apiVersion}`}${time === undefined ? '' : ` at ${time}`}`;
}
