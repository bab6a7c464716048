import { machineBoundary } from './machine-boundary.js';
import { provisionerPolicies } from './provisioner-policies.js';
import type { PolicyDocument } from './statement.js';

/** Name of the boundary in an account. */
export const BOUNDARY_NAME = 'crate-machine-boundary';

/**
 * The policies of an account that Crate works in, by the names they have there: three for its credentials, of which the
 * last wants the boundary on each role, and the boundary. Pure.
 */
export function accountPolicies(): Readonly<Record<string, PolicyDocument>> {
  const { look, compute, access } = provisionerPolicies({ boundaryArn: `arn:aws:iam::*:policy/${BOUNDARY_NAME}` });
  return { 'crate-look': look, 'crate-compute': compute, 'crate-access': access, [BOUNDARY_NAME]: machineBoundary() };
}
