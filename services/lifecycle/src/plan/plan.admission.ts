import { APPROVED_BY_ANNOTATION, type Plan } from '@crate/api';
import { invalidObject, jsonEqual, type AdmissionHook } from '@crate/resource-server';

/** Who made a plan; kept by the server. */
export const PLANNED_BY_ANNOTATION = 'lifecycle.crate.dev/planned-by';

/** Whose plans are. */
export const SERVICE = 'lifecycle';
const KIND = { group: 'lifecycle.crate.dev', kind: 'Plan' };

/** A plan is for one change: its spec stays as it is, and so does who made it and who approved it. */
export const planAdmission: AdmissionHook = ({ operation, object, oldObject, context }) => {
  if (operation === 'DELETE') return Promise.resolve();
  if (oldObject && !jsonEqual(object['spec'], oldObject['spec'])) {
    const detail = 'is immutable; make another plan';
    return Promise.reject(
      invalidObject(KIND, object.metadata.name, [{ path: ['spec'], reason: 'FieldValueForbidden', detail }]),
    );
  }
  const plannedBy = oldObject ? (oldObject.metadata.annotations?.[PLANNED_BY_ANNOTATION] ?? '') : context.caller.user;
  const approvedBy = (context.caller.service === SERVICE ? object : oldObject)?.metadata.annotations?.[
    APPROVED_BY_ANNOTATION
  ];
  const { [APPROVED_BY_ANNOTATION]: _stated, ...stated } = object.metadata.annotations ?? {};
  const annotations = {
    ...stated,
    [PLANNED_BY_ANNOTATION]: plannedBy,
    ...(approvedBy === undefined ? {} : { [APPROVED_BY_ANNOTATION]: approvedBy }),
  };
  return Promise.resolve({ object: { ...object, metadata: { ...object.metadata, annotations } } });
};

/** Who made it. */
export function plannerOf({ metadata }: Plan): string {
  return metadata.annotations?.[PLANNED_BY_ANNOTATION] ?? '';
}
