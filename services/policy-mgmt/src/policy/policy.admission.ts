import type { Policy } from '@crate/api';
import { invalidSpec } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';
import { mistakesOf } from '@crate/policy-engine';

/** Refuses a rule whose expressions do not parse, whose types do not fit, or that asks for what cannot be there: 422, one cause per bad field. */
export const policyAdmission: AdmissionHook = async ({ operation, object }) => {
  if (operation === 'DELETE') return Promise.resolve();
  const policy = object as Policy;
  const mistakes = mistakesOf(policy.spec);
  if (mistakes.length === 0) return Promise.resolve();
  const { name } = policy.metadata;
  const text = mistakes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const details = { kind: 'Policy', group: 'policy.crate.dev', name };
  throw invalidSpec(`Policy.policy.crate.dev "${name}" is invalid: ${text}`, mistakes, details);
};
