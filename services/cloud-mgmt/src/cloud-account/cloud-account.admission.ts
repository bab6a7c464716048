import type { CloudAccount, Infrastructure } from '@crate/api';
import { invalidSpec, PlatformError } from '@crate/errors';
import { nameSome } from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { AdmissionHook, AdmissionRequest, AdmissionResult } from '@crate/resource-server';
import { sweepModeOf } from '../sweep/sweep-brake.js';
import { CLOUD_ACCOUNT_FINALIZER } from './cloud-account.finalizer.js';
import { fingerprintOf, type AccountCredentialsStore } from './account-credentials.js';
import { usersOf } from './account-users.js';

const LEAVE_OR_WAIT =
  'Wait until they are removed, see status.sweep; or set spec.sweep.mode to report, which leaves them behind';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Takes credentials out of every write before it is stored, puts them where they are encrypted, and leaves their fingerprint.
 * Refuses to delete an account (409, naming what is in the way) while Infrastructures need it, or what nobody owns is still to be removed;
 * and for as long to make it another account at the provider (422).
 */
export function cloudAccountAdmission(
  credentials: AccountCredentialsStore,
  infrastructures: TypedClient<Infrastructure>,
): AdmissionHook {
  return async (request) => {
    if (request.operation === 'DELETE') {
      refuseWhileSwept(request.object as CloudAccount);
      return refuseWhileInUse(request.object as CloudAccount, infrastructures);
    }
    await refuseToMove(request, infrastructures);
    return admitWrite(request, credentials);
  };
}

/** In another account nothing of a cluster would be found: it would be made again there, and what it was would be nobody's. */
async function refuseToMove(
  { object, oldObject }: AdmissionRequest,
  infrastructures: TypedClient<Infrastructure>,
): Promise<void> {
  const [account, old] = [object as CloudAccount, oldObject as CloudAccount | undefined];
  const field = (['provider', 'accountId'] as const).find((one) => old && old.spec[one] !== account.spec[one]);
  if (!old || !field || wasNeverUsed(old)) return;
  const users = (await usersOf(old, infrastructures)).map((one) => `Infrastructure ${one.metadata.name}`);
  const abandoned = abandonedIn(account.spec, old.status);
  if (users.length + abandoned.length === 0) return;
  const message = `cannot change from ${old.spec[field]} to ${account.spec[field]} while the account holds ${nameSome([...users, ...abandoned])}`;
  const cause = { reason: 'FieldValueInvalid', message, field: `spec.${field}` };
  throw invalidSpec(`CloudAccount "${old.metadata.name}" is invalid: spec.${field} ${message}`, [cause], {
    kind: 'CloudAccount',
    name: old.metadata.name,
    reason: 'InUse',
    field: `spec.${field}`,
    remedy:
      users.length > 0
        ? 'Create another CloudAccount for new clusters, or delete the clusters that use this one first'
        : LEAVE_OR_WAIT,
  });
}

/** AWS knows no account without accepting keys of it: what was typed wrong may be put right. */
function wasNeverUsed({ spec, status }: CloudAccount): boolean {
  return spec.provider === 'aws' && status?.credentialsFingerprint === undefined;
}

async function refuseWhileInUse(account: CloudAccount, infrastructures: TypedClient<Infrastructure>): Promise<void> {
  const users = await usersOf(account, infrastructures);
  if (users.length === 0) return;
  const names = users.map(({ metadata }) => metadata.name).join(', ');
  const { name } = account.metadata;
  throw new PlatformError('Conflict', `CloudAccount "${name}" is in use by these Infrastructures: ${names}`, {
    retry: 'never',
    details: { kind: 'CloudAccount', name, reason: 'InUse', remedy: 'Delete the clusters that use the account first' },
  });
}

/** Credentials must not go before what they paid for. */
function refuseWhileSwept(account: CloudAccount): void {
  const { name } = account.metadata;
  const abandoned = abandonedIn(account.spec, account.status);
  if (abandoned.length === 0) return;
  const what = nameSome(abandoned);
  throw new PlatformError('Conflict', `CloudAccount "${name}" still holds abandoned resources: ${what}`, {
    retry: 'never',
    details: {
      kind: 'CloudAccount',
      name,
      reason: 'OrphansLeft',
      remedy: LEAVE_OR_WAIT,
    },
  });
}

/** What a sweep found and is going to remove. */
function abandonedIn({ sweep }: CloudAccount['spec'], status: CloudAccount['status']): readonly string[] {
  if (sweepModeOf(sweep) === 'report') return [];
  const abandoned = (status?.sweep?.findings ?? []).filter(({ decision }) => decision === 'remove');
  return abandoned.map(({ type, id }) => `${type} ${id}`);
}

async function admitWrite(request: AdmissionRequest, store: AccountCredentialsStore): Promise<AdmissionResult> {
  const account = request.object as CloudAccount;
  const old = request.oldObject as CloudAccount | undefined;
  const { credentials, credentialsFingerprint: _given, ...spec } = account.spec;
  // Nobody but us says which credentials are in use.
  let fingerprint = old?.spec.credentialsFingerprint;
  if (credentials) {
    fingerprint = request.dryRun
      ? fingerprintOf(credentials)
      : await store.put(account.metadata, credentials, fingerprint);
  }
  const object: CloudAccount = {
    ...account,
    metadata: { ...withoutCredentials(account.metadata), ...finalizersOf(account, old) },
    spec: { ...spec, ...(fingerprint === undefined ? {} : { credentialsFingerprint: fingerprint }) },
  };
  return { object };
}

/** From the first write on, so that no account can vanish before its credentials did. */
function finalizersOf(account: CloudAccount, old: CloudAccount | undefined): { finalizers?: string[] } {
  if (old) return {};
  return { finalizers: [...new Set([...(account.metadata.finalizers ?? []), CLOUD_ACCOUNT_FINALIZER])] };
}

/** `kubectl apply` keeps a copy of the whole document in an annotation. */
function withoutCredentials(metadata: CloudAccount['metadata']): CloudAccount['metadata'] {
  const copy = metadata.annotations?.[LAST_APPLIED];
  if (copy === undefined) return metadata;
  const { [LAST_APPLIED]: _copy, ...annotations } = metadata.annotations ?? {};
  const clean = cleanCopy(copy);
  return { ...metadata, annotations: { ...annotations, ...(clean === undefined ? {} : { [LAST_APPLIED]: clean }) } };
}

/** Undefined for what cannot be read: it might hold anything. */
function cleanCopy(copy: string): string | undefined {
  try {
    const document = JSON.parse(copy) as { spec?: Record<string, unknown> };
    delete document.spec?.['credentials'];
    // As kubectl writes it: with a line end.
    return `${JSON.stringify(document)}\n`;
  } catch {
    return undefined;
  }
}
