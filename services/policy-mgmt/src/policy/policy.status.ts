import { conditionFalse, conditionMessage, conditionTrue, mergeConditions, type Policy } from '@crate/api';
import type { ErrorCause } from '@crate/errors';
import type { CataloguedPolicy } from '@crate/policy-engine';

type PolicyStatus = NonNullable<Policy['status']>;

/** Surfaces on the rules of a source of packs that cannot be read: they are as they were when it could be. */
const PACK_UNREADABLE = 'PackUnreadable';

export interface PolicyStatusContext {
  readonly now: Date;
  /** Why the source of the rule cannot be read. */
  readonly trouble?: string | undefined;
}

/**
 * Pure. `Ready` says whether the rule can be judged with; `Synced` that this generation was looked at, and that it is as the pack says
 * that it comes from.
 */
export function policyStatus(
  policy: Policy,
  rule: CataloguedPolicy,
  { now, trouble }: PolicyStatusContext,
): PolicyStatus {
  const { generation } = policy.metadata;
  const synced =
    trouble === undefined
      ? conditionTrue('Synced', 'Ready')
      : conditionFalse(
          'Synced',
          PACK_UNREADABLE,
          conditionMessage(`Kept as it was: its source cannot be read: ${trouble}`),
        );
  const facts = [readiness(rule), synced];
  const conditions = mergeConditions(policy.status?.conditions, facts, { generation, now });
  return { observedGeneration: generation, conditions };
}

function readiness({ policy, compilations, unreadable }: CataloguedPolicy): ReturnType<typeof conditionTrue> {
  if (unreadable) return conditionFalse('Ready', 'InvalidSpec', unreadableMessage(policy, unreadable));
  const [first] = [...compilations.values()].flatMap((compilation) => (compilation.ok ? [] : compilation.mistakes));
  if (!first) return conditionTrue('Ready', 'Ready', 'Reviews apply the rule');
  return conditionFalse('Ready', 'InvalidSpec', `${first.field ?? 'spec'}: ${first.message}`);
}

/** Whoever is stopped by it sees the same; this says what is to be done. */
function unreadableMessage({ metadata, spec }: Policy, causes: readonly ErrorCause[]): string {
  const what = causes.map(({ field = 'spec', message }) => `${field}: ${message}`).join('; ');
  const until = `rewrite it, or remove it with kubectl delete policy ${metadata.name}`;
  return `Cannot be read and stands in the way of ${spec.match.stages.join(', ')}: ${what}; ${until}`;
}
