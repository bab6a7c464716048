import { forbiddenFor, type Authorize } from '@crate/resource-server';
import { isApiKey, isPlatformAdmin } from '../../access/caller-role.js';
import { KEY_EXTRA } from '../../api-key/api-key.caller.js';
import { withinScope } from '../../api-key/api-key.scope.js';

/**
 * Lets platform administrators, and members of the groups that were named for it, at the state of an Infrastructure as it is. An API key
 * stays within its Project and its scope.
 */
export function breakGlass(groups: readonly string[]): Authorize {
  return withinScope((caller, attributes) => {
    const namespace = 'path' in attributes ? undefined : attributes.namespace;
    const isOwnKey = !isApiKey(caller) || caller.extra?.[KEY_EXTRA.project]?.[0] === namespace;
    const isNamed = caller.groups.some((group) => groups.includes(group));
    if (isPlatformAdmin(caller) || (isNamed && isOwnKey)) return Promise.resolve();
    const reason = 'Needs to be a platform administrator, or in a group that CRATE_API_BREAK_GLASS_GROUPS names';
    return Promise.reject(forbiddenFor(caller, attributes, reason));
  });
}
