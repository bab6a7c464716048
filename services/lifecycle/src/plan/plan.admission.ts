import type { Plan } from '@crate/api';
import { invalidObject, jsonEqual, type AdmissionHook } from '@crate/resource-server';

/** Who made a plan; kept by the server. */
export const PLANNED_BY_ANNOTATION = 'lifecycle.crate.dev/planned-by';

const KIND = { group: 'lifecycle.crate.dev', kind: 'Plan' };

/** A plan is for one change: its spec stays as it is, and so does who made it. */
export const planAdmission: AdmissionHook = ({ operation, object, oldObject, context }) => {
  if (operation === 'DELETE') return Promise.resolve();
  if (oldObject && !jsonEqual(object['spec'], oldObject['spec'])) {
    const detail = 'is immutable; make another plan';
    return Promise.reject(
      invalidObject(KIND, object.metadata.name, [{ path: ['spec'], reason: 'FieldValueForbidden', detail }]),
    );
  }
  const plannedBy = oldObject ? (oldObject.metadata.annotations?.[PLANNED_BY_ANNOTATION] ?? '') : context.caller.user;
  const annotations = { ...object.metadata.annotations, [PLANNED_BY_ANNOTATION]: plannedBy };
  return Promise.resolve({ object: { ...object, metadata: { ...object.metadata, annotations } } });
};

/** Who made it. */
export function plannerOf({ metadata }: Plan): string {
  return metadata.annotations?.[PLANNED_BY_ANNOTATION] ?? '';
}
