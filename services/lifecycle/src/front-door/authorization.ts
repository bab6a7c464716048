import { authorizeUser } from '@crate/auth';
import { forbiddenFor, type Authorize } from '@crate/resource-server';

/** Decides what a person may do. */
export const authorize: Authorize = (caller, attributes) => {
  const { allowed, reason } = authorizeUser(caller, attributes);
  return allowed ? Promise.resolve() : Promise.reject(forbiddenFor(caller, attributes, reason));
};
