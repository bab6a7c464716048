import type { CloudAccount } from '@crate/api';
import { invalidSpec, PlatformError, toPlatformError, type ErrorDetails } from '@crate/errors';
import type { EventRecorder } from '@crate/reconcile';
import type { AdmissionHook, AdmissionRequest } from '@crate/resource-server';
import type { AccountCredentials } from '../provider/cloud-provider.js';
import type { CloudProviders } from '../provider/cloud-providers.js';
import { fingerprintOf } from './account-credentials.js';

/** A person waits for the answer. */
const TEST_TIMEOUT_MS = 8_000;
/** Identity is the same everywhere; this region is part of every account. */
const TEST_REGION = 'us-east-1';
const FIELD = 'spec.credentials';
const REJECTED = 'CredentialsRejected';
const REJECTED_REMEDY = 'Check that the access key exists, is active and belongs to the account, then apply again';

export interface CredentialsSwapParts {
  readonly providers: Pick<CloudProviders, 'get'>;
  readonly events: EventRecorder;
}

/**
 * Asks the provider before new credentials take the place of ones that are in use. What it answers with but a yes refuses
 * them (422, with its reason, remedy and field); when it does not answer the write is refused too (503). Either way the old ones stay in use. Credentials that are the same
 * as before cost no call.
 */
export function credentialsSwapAdmission(parts: CredentialsSwapParts): AdmissionHook {
  return async (request) => {
    const offered = swapOf(request);
    if (!offered) return;
    const account = request.object as CloudAccount;
    try {
      await test(account, offered, parts, request.context.signal);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!request.dryRun)
        tellRefusal(request.oldObject as CloudAccount, refusal, parts.events, request.context.traceId);
      throw refusal;
    }
  };
}

/** Undefined when the write replaces no credentials. */
function swapOf({ operation, object, oldObject }: AdmissionRequest): AccountCredentials | undefined {
  const { credentials } = (object as CloudAccount).spec;
  const inUse = (oldObject as CloudAccount | undefined)?.spec.credentialsFingerprint;
  if (operation !== 'UPDATE' || !credentials || inUse === undefined) return undefined;
  return fingerprintOf(credentials) === inUse ? undefined : credentials;
}

async function test(
  { spec: { accountId, provider } }: CloudAccount,
  credentials: AccountCredentials,
  { providers }: CredentialsSwapParts,
  caller: AbortSignal | undefined,
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(TEST_TIMEOUT_MS), ...(caller ? [caller] : [])]);
  await providers.get(provider).checkCredentials({ accountId, credentials, region: TEST_REGION }, signal);
}

function refusalOf(error: unknown): PlatformError {
  const { code, message, details } = toPlatformError(error);
  if (code === 'Forbidden') return refused(message, details);
  return new PlatformError(
    'Unavailable',
    `The new credentials could not be tested: ${message}. Those before stay in use`,
    {
      cause: error,
      details: { reason: 'CredentialsNotTested', field: FIELD, remedy: 'Apply again once the provider answers' },
    },
  );
}

/** The provider has answered: a client that repeats the write by itself gets no other answer. */
function refused(message: string, details: ErrorDetails): PlatformError {
  const { reason = REJECTED, field = FIELD, remedy = 'Put the account right' } = details;
  const said = `${message}. The credentials before stay in use`;
  const cause = { reason: 'FieldValueInvalid', message: said, field };
  return invalidSpec(`The new credentials were not taken: ${said}`, [cause], {
    reason,
    field,
    remedy: reason === REJECTED ? REJECTED_REMEDY : `${remedy}; then apply again`,
  });
}

function tellRefusal(account: CloudAccount, refusal: PlatformError, events: EventRecorder, traceId: string): void {
  const reason = refusal.code === 'InvalidSpec' ? 'CredentialsRefused' : 'CredentialsNotTested';
  events.record(account, { type: 'Warning', reason, message: refusal.message, traceId });
}
