import {
  apiVersionOf,
  POLICY_IMPACT_REVIEW,
  type KubeList,
  type KubeObject,
  type KubeObjectInput,
  type Policy,
  type PolicyImpactReview,
  type WatchEvent,
} from '@crate/api';
import { badRequest, invalidSpec, notFound, type ErrorCause } from '@crate/errors';
import { catalogued, mistakesOf } from '@crate/policy-engine';
import {
  ViewApi,
  type ResourceType,
  type TypedClient,
  type WriteOptions,
  type WriteResult,
} from '@crate/resource-client';
import { checkBody, invalidObject } from '@crate/resource-server';
import type { PolicyChange } from './policy-change.js';
import type { PolicyImpacts } from './policy-impact.js';

/** Less than services wait for each other. */
const WITHIN_MS = 7_000;
const NEW = 'new-policy';

type Spec = PolicyImpactReview['spec'];

/** Answers what a rule would lead to: the answer to a create is all there is of such an object. */
export class PolicyImpactApi extends ViewApi {
  constructor(
    private readonly impacts: Pick<PolicyImpacts, 'of'>,
    private readonly policies: Pick<TypedClient<Policy>, 'find'>,
    private readonly withinMs: number = WITHIN_MS,
  ) {
    super(POLICY_IMPACT_REVIEW);
  }

  override async create(
    _type: ResourceType,
    object?: KubeObjectInput,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    if (!object) throw this.refusal();
    const { apiVersion: _version, kind: _kind, metadata, status: _status, ...body } = object;
    const served = { definition: POLICY_IMPACT_REVIEW };
    const checked = checkBody(served, body, options.fieldValidation ?? 'Strict');
    if (checked.errors.length > 0) throw invalidObject(POLICY_IMPACT_REVIEW, metadata?.name ?? '', checked.errors);
    const spec = checked.body['spec'] as Spec;
    const status = await this.impacts.of(await this.changeOf(spec), this.withinMs);
    const answer = {
      apiVersion: apiVersionOf(POLICY_IMPACT_REVIEW),
      kind: POLICY_IMPACT_REVIEW.kind,
      metadata: { ...metadata },
      spec,
      status,
    };
    return { object: answer as unknown as KubeObject, created: true, warnings: checked.warnings };
  }

  override get(): Promise<KubeObject> {
    return Promise.reject(this.refusal());
  }

  override list(): Promise<KubeList> {
    return Promise.reject(this.refusal());
  }

  override watch(): AsyncIterable<WatchEvent> {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(this.refusal()) }) };
  }

  private async changeOf({ name, policy }: Spec): Promise<PolicyChange> {
    const stored = name === undefined ? undefined : await this.policies.find(name);
    const before = stored && catalogued(stored);
    if (policy === undefined) {
      if (name === undefined) throw badRequest('spec.policy: want the spec of a Policy, or in spec.name one to remove');
      if (!before) throw notFound('policies', name, 'policy.crate.dev');
      return { before };
    }
    const mistakes = mistakesOf(policy).map(asked);
    if (mistakes.length > 0) {
      const text = mistakes.map(({ field, message }) => `${field}: ${message}`).join(', ');
      throw invalidSpec(`The policy is invalid: ${text}`, mistakes, { kind: POLICY_IMPACT_REVIEW.kind });
    }
    const after = catalogued(asStored(name ?? NEW, policy, stored));
    return before ? { before, after } : { after };
  }
}

function asked(mistake: ErrorCause): ErrorCause {
  return { ...mistake, field: (mistake.field ?? 'spec').replace(/^spec/, 'spec.policy') };
}

function asStored(name: string, spec: Policy['spec'], stored: Policy | undefined): Policy {
  const metadata = stored?.metadata ?? {
    name,
    uid: '',
    resourceVersion: '0',
    generation: 1,
    creationTimestamp: new Date(0).toISOString(),
  };
  return { apiVersion: 'policy.crate.dev/v1alpha1', kind: 'Policy', metadata, spec };
}
