import type { Authorize, AuthorizationAttributes } from '@crate/resource-server';
import { forbiddenFor } from '@crate/resource-server';
import type { Caller } from '@crate/resource-client';
import { KEY_EXTRA } from './api-key.caller.js';

/** Questions about oneself stay open to every key. */
const REVIEW_GROUPS = ['authentication.k8s.io', 'authorization.k8s.io'];
/** In a scope: every resource. */
export const EVERYTHING = '*';

/** Refuses what is beyond the scope of an API key, before its role is looked at. */
export function withinScope(authorize: Authorize): Authorize {
  return async (caller, attributes) => {
    const reason = reasonAgainst(caller, attributes);
    if (reason !== undefined) throw forbiddenFor(caller, attributes, reason);
    await authorize(caller, attributes);
  };
}

function reasonAgainst({ extra = {} }: Caller, attributes: AuthorizationAttributes): string | undefined {
  if ('path' in attributes || REVIEW_GROUPS.includes(attributes.group)) return undefined;
  const { [KEY_EXTRA.resources]: resources, [KEY_EXTRA.verbs]: verbs } = extra;
  const { resource, subresource, verb } = attributes;
  const target = subresource === undefined ? resource : `${resource}/${subresource}`;
  if (resources && !resources.includes(EVERYTHING) && !resources.includes(target)) {
    return `Not in the scope of the key: resource ${target}`;
  }
  return verbs && !verbs.includes(verb) ? `Not in the scope of the key: verb ${verb}` : undefined;
}
