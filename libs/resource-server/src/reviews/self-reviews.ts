import { badRequest, hasCode } from '@crate/errors';
import type { Caller, ResourceRouter } from '@crate/resource-client';
import { isObject, type JsonObject } from '../apply/json.js';
import type { AuthorizationAttributes, Authorize } from '../http/authorization.js';
import { rulesFor } from './rules.js';

/** Answers a caller's questions about itself. */
export class SelfReviews {
  constructor(private readonly options: { readonly authorize: Authorize; readonly router: ResourceRouter }) {}

  /** The answer to a review of this group and plural; undefined when there is no such review. */
  async answer(group: string, plural: string, spec: JsonObject, caller: Caller): Promise<unknown> {
    const review = `${group}/${plural}`;
    if (review === 'authentication.k8s.io/selfsubjectreviews') return this.subject(caller);
    if (review === 'authorization.k8s.io/selfsubjectaccessreviews') return this.access(spec, caller);
    if (review === 'authorization.k8s.io/selfsubjectrulesreviews') return this.rules(spec, caller);
    return undefined;
  }

  private subject({ user, groups }: Caller): unknown {
    const userInfo = { username: user, groups: [...groups] };
    return {
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { creationTimestamp: null },
      status: { userInfo },
    };
  }

  private async access(spec: JsonObject, caller: Caller): Promise<unknown> {
    const status = await this.decide(caller, attributesOf(spec));
    return { ...answerOf('SelfSubjectAccessReview', spec), status };
  }

  private async decide(caller: Caller, attributes: AuthorizationAttributes): Promise<unknown> {
    try {
      await this.options.authorize(caller, attributes);
      return { allowed: true };
    } catch (error) {
      if (hasCode(error, 'Forbidden')) return { allowed: false, reason: (error as Error).message };
      throw error;
    }
  }

  private async rules(spec: JsonObject, caller: Caller): Promise<unknown> {
    const namespace = typeof spec.namespace === 'string' ? spec.namespace : '';
    if (namespace === '') throw badRequest('no namespace on request');
    const resourceRules = await rulesFor({ ...this.options, caller, namespace });
    const status = { resourceRules, nonResourceRules: [], incomplete: false };
    return { ...answerOf('SelfSubjectRulesReview', spec), status };
  }
}

function answerOf(kind: string, spec: JsonObject): JsonObject {
  return { kind, apiVersion: 'authorization.k8s.io/v1', metadata: { creationTimestamp: null }, spec };
}

function attributesOf(spec: JsonObject): AuthorizationAttributes {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isObject(nonResourceAttributes)) {
    return { path: text(nonResourceAttributes, 'path'), verb: text(nonResourceAttributes, 'verb') };
  }
  if (!isObject(resourceAttributes)) throw badRequest('a review asks about a resource or a path');
  const optional = ['subresource', 'namespace', 'name'] as const;
  const stated = optional.filter((field) => text(resourceAttributes, field) !== '');
  return {
    verb: text(resourceAttributes, 'verb'),
    group: text(resourceAttributes, 'group'),
    version: text(resourceAttributes, 'version'),
    resource: text(resourceAttributes, 'resource'),
    ...Object.fromEntries(stated.map((field) => [field, text(resourceAttributes, field)])),
  };
}

function text(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}
