import { forbiddenFor, withoutStatusWrites, type Authorize } from '@crate/resource-server';
import type { ProjectAuthorizer } from '../access/project-authorizer.js';
import { withinScope } from '../api-key/api-key.scope.js';

/** Refuses what the scope of an API key or the caller's roles do not cover, and writes of a status, in Kubernetes' words. */
export function doorAuthorization(authorizer: ProjectAuthorizer): Authorize {
  return withoutStatusWrites(
    withinScope((caller, attributes) => {
      const { allowed, reason } = authorizer.decide(caller, attributes);
      return allowed ? Promise.resolve() : Promise.reject(forbiddenFor(caller, attributes, reason));
    }),
  );
}
