import type { PlanPreview } from '@crate/api';
import type { Adoption } from '@crate/infra-aws';
import type { PlanReading } from './plan-reading.js';

/** A plan, and what was adopted before it, as it is told to whoever asked for it. Pure. */
export function previewAnswer(
  { digest, impact, counts, shown }: PlanReading,
  adopted: readonly Adoption[],
): Omit<PlanPreview, 'review' | 'account' | 'stateSerial' | 'release'> {
  const planned = shown.resources.map((resource) => ({ ...resource, changes: [...resource.changes] }));
  return {
    digest,
    counts: { ...counts, import: counts.import + adopted.length },
    resources: [...adopted.map(importOf), ...planned],
    omittedChanges: shown.omittedChanges,
    ...(impact ? { impact } : {}),
  };
}

/** Before the plan, which does not tell of it; what else is done to the same thing, it does. */
function importOf({ to: address }: Adoption): PlanPreview['resources'][number] {
  const [type = '', name = ''] = address.split('.');
  return { address, type, name, action: 'import', changes: [] };
}
