import { forbiddenFor, type Authorize } from '@crate/resource-server';
import type { ProjectAuthorizer } from '../access/project-authorizer.js';

/** Refuses what the caller's roles do not cover, in Kubernetes' words. */
export function authorization(authorizer: ProjectAuthorizer): Authorize {
  return (caller, attributes) => {
    const { allowed, reason } = authorizer.decide(caller, attributes);
    return allowed ? Promise.resolve() : Promise.reject(forbiddenFor(caller, attributes, reason));
  };
}
