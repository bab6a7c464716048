import { CLOUD_ACCOUNT } from '@crate/api';
import { invalidObject, type AdmissionHook } from '@crate/resource-server';

/**
 * Refuses new owners of an account: it would be deleted with the last of them, and nobody would be asked whether clusters use it.
 * Those that it has may stay, or a document could not be sent back as it was read.
 */
export const accountOwnersAdmission: AdmissionHook = ({ operation, object, oldObject }) => {
  if (operation === 'DELETE') return Promise.resolve();
  const known = new Set(oldObject?.metadata.ownerReferences?.map(({ uid }) => uid));
  const { name, ownerReferences = [] } = object.metadata;
  if (ownerReferences.every(({ uid }) => known.has(uid))) return Promise.resolve();
  const detail =
    'a CloudAccount cannot have owners, because it would be deleted with them while clusters use it; leave them out';
  return Promise.reject(
    invalidObject(CLOUD_ACCOUNT, name, [
      { path: ['metadata', 'ownerReferences'], reason: 'FieldValueForbidden', detail },
    ]),
  );
};
