import {
  POLICY_STAGES,
  policyMatch,
  policyOperation,
  policySpec,
  policyStage,
  withoutUndefined,
  type Policy,
  type PolicySpec,
} from '@crate/api';
import type { ErrorCause } from '@crate/errors';

/** A stored rule in the shape that is read today. */
export interface StoredPolicy {
  readonly policy: Policy;
  /** What cannot be read; then `policy` is about all that the rule may have been about, and nothing can satisfy it. Absent: nothing. */
  readonly unreadable?: readonly ErrorCause[];
}

type Fields = Readonly<Record<string, unknown>>;
type Match = PolicySpec['match'];

/**
 * Reads a rule as it is stored: defaults that came later are filled in. Of one that cannot be read, whatever can be is kept, and what cannot
 * is taken for the strictest that it may have said. Never throws.
 */
export function storedPolicy(stored: Policy): StoredPolicy {
  const result = policySpec.safeParse(stored.spec);
  if (result.success) return { policy: { ...stored, spec: result.data } };
  const unreadable = result.error.issues.map(({ path, message }) => ({
    reason: 'FieldValueInvalid',
    field: ['spec', ...path].join('.'),
    message,
  }));
  return { policy: { ...stored, spec: strictest(stored.metadata.name, fieldsOf(stored.spec)) }, unreadable };
}

function strictest(name: string, spec: Fields): PolicySpec {
  const { title, level, severity, references, enforcement, exceptions, waivableBy } = policySpec.shape;
  const areExceptionsUnknown = spec['exceptions'] !== undefined && !exceptions.safeParse(spec['exceptions']).success;
  return {
    title: title.safeParse(spec['title']).data ?? name,
    level: level.safeParse(spec['level']).data ?? 'must',
    severity: severity.safeParse(spec['severity']).data ?? 'high',
    match: widest(fieldsOf(spec['match']), spec['stage']),
    matchConditions: [],
    params: {},
    variables: [],
    validations: [],
    auditAnnotations: [],
    remedy: `A platform administrator rewrites the rule, or removes it: kubectl delete policy ${name}`,
    references: references.safeParse(spec['references']).data ?? [],
    // Where exceptions cannot be read, one may enforce what the rule itself only tries out.
    enforcement: (areExceptionsUnknown ? undefined : enforcement.safeParse(spec['enforcement']).data) ?? 'enforce',
    exceptions: exceptions.safeParse(spec['exceptions']).data ?? [],
    // Of a rule that nobody can read nobody knows what they waive.
    waivableBy:
      (spec['waivableBy'] === undefined ? undefined : waivableBy.safeParse(spec['waivableBy']).data) ?? 'Nobody',
  };
}

/** A part that cannot be read is left out, and leaves nothing out. `stage` is what rules said before they could be about several. */
function widest(match: Fields, stage: unknown): Match {
  const { stages: _stages, operations: _operations, ...others } = policyMatch.shape;
  const stated = [...listOf(match['stages']), stage].flatMap((each) => policyStage.safeParse(each).data ?? []);
  const operations = policyMatch.shape.operations.safeParse(match['operations']);
  const kept = Object.entries(others).map(([key, schema]) => [key, schema.safeParse(match[key]).data] as const);
  return {
    ...withoutUndefined(Object.fromEntries(kept)),
    ...(operations.success && !operations.data ? {} : { operations: operations.data ?? [...policyOperation.options] }),
    stages: stated.length > 0 ? stated : [...POLICY_STAGES],
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
