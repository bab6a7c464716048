import { PROJECT, type Project } from '@crate/api';
import { forbidden, type ErrorDetails } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
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
 * Lets administrators of a Project change its members, defaults and description; what limits it is for the platform's own, as is that
 * it exists, and who may do what in it for people.
 */
export const projectEditAdmission: AdmissionHook = ({ operation, object, oldObject, context: { caller } }) => {
  if (caller.service !== undefined || isPlatformAdmin(caller)) return PASS;
  if (operation === 'UPDATE' && oldObject) return judgeChange(object as Project, oldObject as Project, caller);
  if (operation !== 'CREATE') return PASS;
  return Promise.reject(forbid(object.metadata.name, 'a Project is created by a platform administrator only'));
};

function judgeChange(project: Project, before: Project, caller: Caller): Promise<void> {
  const changed = (fields: typeof OF_THE_PLATFORM): string[] =>
    fields.filter(([, of]) => !jsonEqual(of(project), of(before))).map(([field]) => field);
  const { name } = project.metadata;
  const limits = changed(OF_THE_PLATFORM);
  if (limits.length > 0) return Promise.reject(refused(name, limits, 'a platform administrator only'));
  const rights = isApiKey(caller) ? changed(OF_PEOPLE) : [];
  return rights.length > 0 ? Promise.reject(refused(name, rights, 'a person only, not by an API key')) : PASS;
}

function refused(name: string, fields: readonly string[], byWhom: string): Error {
  const why = `${fields.join(' and ')} may be changed by ${byWhom}`;
  const causes = fields.map((field) => ({ reason: 'FieldValueForbidden', field, message: why }));
  return forbid(name, why, { causes });
}

function forbid(name: string, why: string, details: ErrorDetails = {}): Error {
  const { group, plural } = PROJECT;
  return forbidden(`${plural}.${group} "${name}" is forbidden: ${why}`, { group, kind: plural, name, ...details });
}
