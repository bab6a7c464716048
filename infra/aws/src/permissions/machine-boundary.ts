import { controlPlaneStatements } from '../stack/identity-policies.js';
import { distinct, policyOf, type PolicyDocument } from './statement.js';

/**
 * The most that a role of a machine may ever be given, as a permissions boundary: whoever holds Crate's credentials cannot make a role that may do more.
 * Pure. Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
 */
export function machineBoundary(): PolicyDocument {
  // The boundary is for all clusters: which of them something belongs to, the role's own policy says.
  return policyOf([
    {
      Sid: 'MostOfMachines',
      Effect: 'Allow',
      Action: distinct(controlPlaneStatements('any').flatMap(({ Action }) => Action)),
      Resource: '*',
    },
  ]);
}
