import { isTemporaryAccessKey, type CloudAccount } from '@crate/api';
import { invalidSpec } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';

const FIELD = 'spec.credentials.accessKeyId';
const MESSAGE =
  'is of temporary credentials (ASIA…), which end within hours and do not count without their session token';

/** Refuses a key (422) that AWS would call unknown: it is good, but for a while only. */
export const temporaryKeyAdmission: AdmissionHook = ({ operation, object }) => {
  const { metadata, spec } = object as CloudAccount;
  const { provider, credentials } = spec;
  const isTemporary = provider === 'aws' && credentials && isTemporaryAccessKey(credentials.accessKeyId);
  if (operation === 'DELETE' || !isTemporary) return Promise.resolve();
  const cause = { reason: 'FieldValueInvalid', message: MESSAGE, field: FIELD };
  return Promise.reject(
    invalidSpec(`CloudAccount "${metadata.name}" is invalid: ${FIELD} ${MESSAGE}`, [cause], {
      ...{ kind: 'CloudAccount', name: metadata.name },
      ...{ reason: 'CredentialsTemporary', field: FIELD, remedy: 'Give the access key of a user (AKIA…)' },
    }),
  );
};
