import type { Policy } from '@crate/api';
import { invalidSpec } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';
import { compilePolicy } from './compiled-policy.js';

/** Refuses a rule whose expressions do not parse or whose types do not fit: 422, one cause per bad field. */
export const policyAdmission: AdmissionHook = async ({ operation, object }) => {
  if (operation === 'DELETE') return Promise.resolve();
  const policy = object as Policy;
  const compiled = compilePolicy(policy.spec);
  if (compiled.ok) return Promise.resolve();
  const { name } = policy.metadata;
  const text = compiled.mistakes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const details = { kind: 'Policy', group: 'policy.crate.dev', name };
  throw invalidSpec(`Policy.policy.crate.dev "${name}" is invalid: ${text}`, compiled.mistakes, details);
};
