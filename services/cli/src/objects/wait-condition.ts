import { InvalidArgumentError } from 'commander';
import type { Condition, KubeObject } from '@crate/api';
import { JsonPath, textOfValue } from './json-path.js';
import { stageOf } from './stage.js';

/** What `wait` waits for. */
export interface WaitCondition {
  /** As in "is not …", for people. */
  readonly what: string;
  /** As in "cluster/demo …". */
  readonly done: string;
  /** True for what an object that is not there may still become. */
  readonly mayBeAbsent: boolean;
  readonly holds: (object: KubeObject | undefined) => boolean;
  /** Why it does not hold yet. */
  readonly explain?: (object: KubeObject) => string;
}

/** `condition=TYPE[=STATUS]`, `delete`, `create` or `jsonpath=PATH[=VALUE]`. Throws InvalidArgumentError. */
export function parseWaitCondition(text: string): WaitCondition {
  const [, verb = '', rest = ''] = /^([a-z]+)(?:=(.+))?$/s.exec(text) ?? [];
  if (verb === 'delete' && rest === '') {
    return { what: 'is not gone', done: 'is gone', mayBeAbsent: true, holds: (object) => object === undefined };
  }
  if (verb === 'create' && rest === '') {
    return { what: 'is not there', done: 'is there', mayBeAbsent: true, holds: (object) => object !== undefined };
  }
  if (verb === 'condition' && rest !== '') return conditionOf(rest);
  if (verb === 'jsonpath' && rest !== '') return valueOf(rest);
  throw new InvalidArgumentError(
    'Give condition=TYPE, condition=TYPE=STATUS, delete, create or jsonpath={.path}=VALUE.',
  );
}

function conditionOf(text: string): WaitCondition {
  const [type = '', wanted = 'True'] = text.split('=');
  const isWanted = (condition: Condition, generation: number): boolean =>
    condition.type.toLowerCase() === type.toLowerCase() &&
    condition.status.toLowerCase() === wanted.toLowerCase() &&
    // One of an earlier spec says nothing of this one.
    (condition.observedGeneration ?? generation) >= generation;
  return {
    what: wanted === 'True' ? `is not ${type}` : `is not ${type}=${wanted}`,
    done: wanted === 'True' ? `is ${type}` : `has ${type}=${wanted}`,
    mayBeAbsent: false,
    holds: (object) => conditionsOf(object).some((condition) => isWanted(condition, object?.metadata.generation ?? 0)),
    explain: (object) => explained(object, type),
  };
}

function valueOf(text: string): WaitCondition {
  const [, path = text, wanted] = /^(\{.*\}|[^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  const place = JsonPath.parse(path);
  const value = wanted?.replace(/^(["'])(.*)\1$/s, '$2');
  return {
    what: value === undefined ? `has no ${path}` : `has not ${path}=${value}`,
    done: value === undefined ? `has ${path}` : `has ${path}=${value}`,
    mayBeAbsent: false,
    holds: (object) => place.values(object).some((each) => value === undefined || textOfValue(each) === value),
    explain: (object) => `it has ${place.values(object).map(textOfValue).join(', ') || 'none'}`,
  };
}

function explained(object: KubeObject, type: string): string {
  const conditions = conditionsOf(object);
  const found = conditions.find((condition) => condition.type.toLowerCase() === type.toLowerCase());
  if (found) {
    const why = new Set([found.reason, messageOf(found, object)].filter(Boolean));
    return `${found.type} is ${found.status}, ${[...why].join(': ')}`;
  }
  const known = conditions.map((condition) => condition.type).join(', ');
  return `it has no condition ${type}${known === '' ? '' : `; there is ${known}`}`;
}

/** What is not ready says more by where it is, and by its failure, than by the summary that Ready is; why it is not known no other field says. */
function messageOf({ type, status, message }: Condition, object: KubeObject): string {
  return type === 'Ready' && status === 'False' ? stageOf(object).message : message;
}

function conditionsOf(object: KubeObject | undefined): readonly Condition[] {
  return (object?.['status'] as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
}
