import { PROJECT, type Project } from '@crate/api';
import { forbidden } from '@crate/errors';
import { jsonEqual, type AdmissionHook } from '@crate/resource-server';
import { isPlatformAdmin } from '../access/caller-role.js';

/** What a Project lives within: nobody sets it for themselves. */
const OF_THE_PLATFORM: readonly (readonly [field: string, of: (project: Project) => unknown])[] = [
  ['spec.quotas', ({ spec }) => spec.quotas],
  ['spec.allowed', ({ spec }) => spec.allowed],
  ['metadata.finalizers', ({ metadata }) => metadata.finalizers ?? []],
  ['metadata.ownerReferences', ({ metadata }) => metadata.ownerReferences ?? []],
];

const PASS = Promise.resolve();

/** Lets administrators of a Project change its members, defaults and description; what limits it is for the platform's own. */
export const projectEditAdmission: AdmissionHook = (request) => {
  const { object, oldObject, context } = request;
  const mayAll = context.caller.service !== undefined || isPlatformAdmin(context.caller);
  if (request.operation !== 'UPDATE' || !oldObject || mayAll) return PASS;
  const changed = OF_THE_PLATFORM.filter(([, of]) => !jsonEqual(of(object as Project), of(oldObject as Project)));
  if (changed.length === 0) return PASS;
  const { name } = object.metadata;
  const fields = changed.map(([field]) => field);
  const why = `${fields.join(' and ')} may be changed by a platform administrator only`;
  const { group, plural } = PROJECT;
  const causes = fields.map((field) => ({ reason: 'FieldValueForbidden', field, message: why }));
  const text = `${plural}.${group} "${name}" is forbidden: ${why}`;
  return Promise.reject(forbidden(text, { group, kind: plural, name, causes }));
};
