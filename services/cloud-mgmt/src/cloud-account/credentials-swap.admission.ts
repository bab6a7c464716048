import type { CloudAccount } from '@crate/api';
import { invalidSpec, PlatformError, toPlatformError } from '@crate/errors';
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

export interface CredentialsSwapParts {
  readonly providers: Pick<CloudProviders, 'get'>;
  readonly events: EventRecorder;
}

/**
 * Asks the provider before new credentials take the place of ones that are in use. Credentials it rejects are refused (422, naming the field);
 * when it does not answer the write is refused too (503). Either way the old ones stay in use. Credentials that are the same
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
  const { message, details } = toPlatformError(error);
  if (details.reason === REJECTED) {
    const said = `${message}. The credentials before stay in use`;
    const cause = { reason: 'FieldValueInvalid', message: said, field: FIELD };
    return invalidSpec(`The new credentials were not taken: ${said}`, [cause], {
      reason: REJECTED,
      field: FIELD,
      remedy: 'Check that the access key exists, is active and belongs to the account, then apply again',
    });
  }
  return new PlatformError(
    'Unavailable',
    `The new credentials could not be tested: ${message}. Those before stay in use`,
    {
      cause: error,
      details: { reason: 'CredentialsNotTested', field: FIELD, remedy: 'Apply again once the provider answers' },
    },
  );
}

function tellRefusal(account: CloudAccount, refusal: PlatformError, events: EventRecorder, traceId: string): void {
  const reason = refusal.details.reason === REJECTED ? 'CredentialsRefused' : 'CredentialsNotTested';
  events.record(account, { type: 'Warning', reason, message: refusal.message, traceId });
}
