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

/** The refusal a person sees, naming rule, level, field and remedy of every violation that denies. */
export function policyDenied(document: DeniedDocument, violations: readonly PolicyViolation[]): PlatformError {
  const broken = violations.filter(({ effect }) => effect === 'deny');
  const causes = broken.map(({ policy, level, field, message, remedy }) => ({
    reason: 'PolicyViolation',
    field,
    message: `${message} (policy ${policy}, level ${level}): ${remedy}`,
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
