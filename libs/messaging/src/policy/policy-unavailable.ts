import type { PolicyStage } from '@crate/api';
import { isPlatformError, PlatformError } from '@crate/errors';

/** Reason of what is held back because nobody could judge it. */
export const POLICY_UNAVAILABLE = 'PolicyUnavailable';

/** Long enough for a restart to come to its end, short enough for a person to wait. */
const RETRY_AFTER_MS = 2_000;

const SUBJECTS: Readonly<Record<PolicyStage, string>> = {
  ClusterSpec: 'The cluster',
  TerraformPlan: 'The plan',
  EngineConfig: 'The configuration of the engine',
  Manifest: 'What is to be installed',
};

/** No verdict, where that means no: tried again. */
export function policyUnavailable(stage: PolicyStage, cause: unknown): PlatformError {
  const why = isPlatformError(cause) ? cause.message : 'policy-mgmt does not answer';
  return new PlatformError(
    'Unavailable',
    `${SUBJECTS[stage]} cannot be judged by policies, so nothing is done: ${why}`,
    {
      cause,
      details: {
        reason: POLICY_UNAVAILABLE,
        remedy: 'Nothing to do: it is judged as soon as policy-mgmt answers. If it does not, ask whoever operates it',
        retryAfterMs: RETRY_AFTER_MS,
      },
    },
  );
}

/** Whether something is held back because nobody could judge it. */
export function isPolicyUnavailable(error: unknown): boolean {
  return isPlatformError(error) && error.details.reason === POLICY_UNAVAILABLE;
}

/** What a person is told whose document was taken without a verdict. */
export const NOT_JUDGED =
  'Policies were not checked, because policy-mgmt does not answer; they are checked once it does';
