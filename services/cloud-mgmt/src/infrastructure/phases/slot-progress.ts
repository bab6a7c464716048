import type { Progress } from '@crate/api';

/** What a person sees while the Terraform runs of others are under way. */
export function slotProgress(ahead: number): Progress {
  const who = ahead === 0 ? 'next in line' : `${ahead} ahead`;
  return { step: 0, steps: 0, message: `Waiting for a Terraform slot, ${who}` };
}
