import { isJsonObject, type JsonObject } from '@crate/api';
import { badRequest, hasCode } from '@crate/errors';
import type { Caller, ResourceRouter, ResourceType } from '@crate/resource-client';
import { withoutNulls } from '../apply/json.js';
import type { AuthorizationAttributes, Authorize } from '../http/authorization.js';
import { pathRulesFor, rulesFor } from './rules.js';

type ReviewType = Pick<ResourceType, 'group' | 'plural'>;
type Review = (spec: JsonObject, caller: Caller) => Promise<unknown>;

interface SelfReviewsOptions {
  readonly authorize: Authorize;
  readonly router: ResourceRouter;
  /** Paths beside resources that some may read. */
  readonly paths?: readonly string[];
}

/** Answers a caller's questions about itself. */
export class SelfReviews {
  private readonly reviews: ReadonlyMap<string, Review>;

  constructor(private readonly options: SelfReviewsOptions) {
    this.reviews = new Map<string, Review>([
      ['authentication.k8s.io/selfsubjectreviews', (_spec, caller) => Promise.resolve(this.subject(caller))],
      ['authorization.k8s.io/selfsubjectaccessreviews', (spec, caller) => this.access(spec, caller)],
      ['authorization.k8s.io/selfsubjectrulesreviews', (spec, caller) => this.rules(spec, caller)],
    ]);
  }

  /** True when requests to create this type are questions, not objects. */
  knows({ group, plural }: ReviewType): boolean {
    return this.reviews.has(`${group}/${plural}`);
  }

  /** Undefined for a type that is no review. */
  async answer({ group, plural }: ReviewType, spec: JsonObject, caller: Caller): Promise<unknown> {
    return this.reviews.get(`${group}/${plural}`)?.(spec, caller);
  }

  private subject({ user, groups, extra }: Caller): unknown {
    const userInfo = { username: user, groups: [...groups], ...(extra ? { extra } : {}) };
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
      // No reason: kubectl would print it behind its "no", where scripts expect nothing.
      if (hasCode(error, 'Forbidden')) return { allowed: false };
      throw error;
    }
  }

  private async rules(spec: JsonObject, caller: Caller): Promise<unknown> {
    const namespace = typeof spec.namespace === 'string' ? spec.namespace : '';
    if (namespace === '') throw badRequest('no namespace on request');
    const { authorize, paths = [] } = this.options;
    const resourceRules = await rulesFor({ ...this.options, caller, namespace });
    const nonResourceRules = await pathRulesFor({ authorize, paths, caller });
    const status = { resourceRules, nonResourceRules, incomplete: false };
    return { ...answerOf('SelfSubjectRulesReview', spec), status };
  }
}

function answerOf(kind: string, spec: JsonObject): JsonObject {
  return {
    kind,
    apiVersion: 'authorization.k8s.io/v1',
    metadata: { creationTimestamp: null },
    spec: withoutNulls(spec),
  };
}

function attributesOf(spec: JsonObject): AuthorizationAttributes {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isJsonObject(nonResourceAttributes)) {
    if (resourceAttributes != null) throw badRequest('a review asks about a resource or a path, not about both');
    return { path: text(nonResourceAttributes, 'path'), verb: text(nonResourceAttributes, 'verb') };
  }
  if (!isJsonObject(resourceAttributes) || nonResourceAttributes != null)
    throw badRequest('a review asks about a resource or a path');
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
  const value = object[field] ?? '';
  if (typeof value !== 'string') throw badRequest(`${field} must be a string`);
  return value;
}
