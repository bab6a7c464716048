import { API_KEY, type ApiKey } from '@crate/api';
import { forbidden, type ErrorCause } from '@crate/errors';
import type { Caller } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';
import { isKeyCaller, KEY_EXTRA } from './api-key.caller.js';
import { EVERYTHING } from './api-key.scope.js';

/**
 * Why an API key may not write this key, as an error; undefined when it may. A key may make others within its own scope, which only a
 * person can have tokens issued for, and may change one, itself included, only to end it sooner.
 */
export function machineRefusal(key: ApiKey, before: ApiKey | undefined, caller: Caller): Error | undefined {
  if (!isKeyCaller(caller)) return undefined;
  const fields = before ? widened(key.spec, before.spec) : beyondScope(key.spec, caller);
  if (fields.length === 0) return undefined;
  const why = before
    ? 'an API key may only disable a key or end it sooner; a person has to change the rest'
    : 'an API key may not make a key with a wider scope than its own';
  const { group, plural } = API_KEY;
  const { name } = key.metadata;
  const causes: ErrorCause[] = fields.map((field) => ({ reason: 'FieldValueForbidden', field, message: why }));
  const text = `${plural}.${group} "${name}" is forbidden: ${fields.join(' and ')}: ${why}`;
  return forbidden(text, { group, kind: plural, name, causes });
}

function widened(now: ApiKey['spec'], before: ApiKey['spec']): string[] {
  const changed = (['role', 'lifetime', 'scope'] as const).filter((field) => !jsonEqual(now[field], before[field]));
  const isLater = endOf(now) > endOf(before);
  const isEnabled = before.disabled && !now.disabled;
  return [...changed, ...(isLater ? ['expiresAt'] : []), ...(isEnabled ? ['disabled'] : [])].map(inSpec);
}

function endOf({ expiresAt }: ApiKey['spec']): number {
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}

function beyondScope({ scope = {} }: ApiKey['spec'], { extra = {} }: Caller): string[] {
  const { [KEY_EXTRA.resources]: resources, [KEY_EXTRA.verbs]: verbs } = extra;
  return [
    ...(isWithin(scope.resources, resources) ? [] : ['scope.resources']),
    ...(isWithin(scope.verbs, verbs) ? [] : ['scope.verbs']),
  ].map(inSpec);
}

function isWithin(wanted: readonly string[] | undefined, own: readonly string[] | undefined): boolean {
  if (!own || own.includes(EVERYTHING)) return true;
  return wanted?.every((each) => own.includes(each)) ?? false;
}

function inSpec(field: string): string {
  return `spec.${field}`;
}
