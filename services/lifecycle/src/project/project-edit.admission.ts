import { PROJECT, type Project } from '@crate/api';
import { forbidden } from '@crate/errors';
import { jsonEqual, type AdmissionHook } from '@crate/resource-server';
import { isApiKey, isPlatformAdmin } from '../access/caller-role.js';

/** What a Project lives within: nobody sets it for themselves. */
const OF_THE_PLATFORM: readonly (readonly [field: string, of: (project: Project) => unknown])[] = [
  ['spec.quotas', ({ spec }) => spec.quotas],
  ['spec.allowed', ({ spec }) => spec.allowed],
  ['metadata.finalizers', ({ metadata }) => metadata.finalizers ?? []],
  ['metadata.ownerReferences', ({ metadata }) => metadata.ownerReferences ?? []],
];

/** Who may do what here: a key that could say so would outlive its discovery. */
const OF_PEOPLE: typeof OF_THE_PLATFORM = [
  ['spec.members', ({ spec }) => spec.members],
  ['spec.planApproval', ({ spec }) => spec.planApproval],
];

const PASS = Promise.resolve();

/**
 * Lets administrators of a Project change its members, defaults and description; what limits it is for the platform's own, and who may do
 * what in it for people.
 */
export const projectEditAdmission: AdmissionHook = (request) => {
  const { object, oldObject, context } = request;
  const mayAll = context.caller.service !== undefined || isPlatformAdmin(context.caller);
  if (request.operation !== 'UPDATE' || !oldObject || mayAll) return PASS;
  const changed = (fields: typeof OF_THE_PLATFORM): string[] =>
    fields.filter(([, of]) => !jsonEqual(of(object as Project), of(oldObject as Project))).map(([field]) => field);
  const { name } = object.metadata;
  const limits = changed(OF_THE_PLATFORM);
  if (limits.length > 0) return Promise.reject(refused(name, limits, 'a platform administrator only'));
  const rights = isApiKey(context.caller) ? changed(OF_PEOPLE) : [];
  return rights.length > 0 ? Promise.reject(refused(name, rights, 'a person only, not by an API key')) : PASS;
};

function refused(name: string, fields: readonly string[], byWhom: string): Error {
  const why = `${fields.join(' and ')} may be changed by ${byWhom}`;
  const { group, plural } = PROJECT;
  const causes = fields.map((field) => ({ reason: 'FieldValueForbidden', field, message: why }));
  const text = `${plural}.${group} "${name}" is forbidden: ${why}`;
  return forbidden(text, { group, kind: plural, name, causes });
}
