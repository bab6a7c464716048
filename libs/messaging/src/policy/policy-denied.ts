import type { PolicyViolation } from '@crate/api';
import { PlatformError, type ErrorDetails, type RetryPolicy } from '@crate/errors';

/** What was denied. */
export interface DeniedDocument {
  /** Names it to a person, as the subject of a sentence. */
  readonly name: string;
  /** The object it belongs to. */
  readonly details: ErrorDetails;
  /** `never` unless something else than the spec may change the verdict. */
  readonly retry?: RetryPolicy;
}

/** The refusal a person sees, naming rule, level, severity, field and remedy of every violation that denies. */
export function policyDenied(document: DeniedDocument, violations: readonly PolicyViolation[]): PlatformError {
  const broken = violations.filter(({ effect }) => effect === 'deny');
  const causes = broken.map((violation) => ({
    reason: 'PolicyViolation',
    field: violation.field,
    message: `${violation.message} (${ruleOf(violation)}): ${violation.remedy}`,
  }));
  const [first] = broken;
  const summary = causes.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return new PlatformError('Forbidden', `${document.name} is denied by policy: ${summary}`, {
    retry: document.retry ?? 'never',
    details: {
      ...document.details,
      reason: 'PolicyDenied',
      causes,
      ...(first ? { field: first.field, remedy: first.remedy } : {}),
    },
  });
}

/** A violation that denies nothing, as the warning a person sees. */
export function policyWarning(violation: PolicyViolation): string {
  const { field, message, remedy, level, effect } = violation;
  const isEased = level === 'must' && effect !== 'deny' ? ', only warned of here' : '';
  return `${field}: ${message} (${ruleOf(violation)}${isEased}): ${remedy}`;
}

function ruleOf({ policy, level, severity }: PolicyViolation): string {
  return `policy ${policy}, level ${level}, severity ${severity}`;
}
