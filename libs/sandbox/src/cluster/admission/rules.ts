import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@crate/api';
import { parseApiVersion } from '@crate/api';
import { invalidSpec, type PlatformError } from '@crate/errors';
import type { AdmissionHook } from '@crate/resource-server';

/** One broken rule; `message` is what Kubernetes says after the field. */
export interface Violation {
  readonly field: string;
  readonly message: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueDuplicate' | 'FieldValueForbidden';
}

/** Facts in, broken rules out. `before` is absent for a new object. */
export type Rule<T extends KubeObject> = (object: T, before: T | undefined) => readonly Violation[];

/** A hook that refuses objects which break one of the rules, naming all that is broken. Deletion is free. */
export function enforce<T extends KubeObject>(...rules: readonly Rule<T>[]): AdmissionHook {
  return async ({ operation, object, oldObject }) => {
    if (operation === 'DELETE') return;
    const violations = rules.flatMap((rule) => rule(object as T, oldObject as T | undefined));
    if (violations.length > 0) throw invalid(object, violations);
    return Promise.resolve();
  };
}

/** A hook that completes objects; gives the same object when there is nothing to add. */
export function complete<T extends KubeObject>(change: (object: T, before: T | undefined) => T): AdmissionHook {
  return ({ operation, object, oldObject }) => {
    if (operation === 'DELETE') return Promise.resolve();
    return Promise.resolve({ object: change(object as T, oldObject as T | undefined) });
  };
}

/** The 422 in Kubernetes' words. */
export function invalid(object: KubeObject, violations: readonly Violation[]): PlatformError {
  const { group } = parseApiVersion(object.apiVersion);
  const subject = `${object.kind}${group ? `.${group}` : ''} ${JSON.stringify(object.metadata.name)}`;
  const list = violations.map(({ field, message }) => `${field}: ${message}`);
  const text = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
  const causes = violations.map(({ field, message, reason = 'FieldValueInvalid' }) => ({ reason, message, field }));
  return invalidSpec(`${subject} is invalid: ${text ?? ''}`, causes, {
    group,
    kind: object.kind,
    name: object.metadata.name,
  });
}

/** A rule that nothing below `read` may change once it is set. */
export function immutable<T extends KubeObject>(field: string, read: (object: T) => unknown): Rule<T> {
  return (object, before) => {
    if (!before || isDeepStrictEqual(read(before), read(object))) return [];
    const value = JSON.stringify(read(object)) ?? 'null';
    return [{ field, message: `Invalid value: ${value}: field is immutable` }];
  };
}
