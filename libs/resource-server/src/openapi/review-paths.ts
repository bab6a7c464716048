import type { JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { REVIEW_GROUPS } from '../discovery/review-kinds.js';
import { named, operation, tagOf } from './operation.js';
import { PRETTY } from './parameters.js';
import { FAILURES_OF } from './responses.js';
import { schemaName } from './schema-names.js';

type ReviewKind = Pick<KindInfo, 'group' | 'version' | 'kind' | 'plural'>;

/** The part of a document that a self review takes. */
export interface ReviewDocument {
  readonly path: string;
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
  readonly tags: readonly JsonObject[];
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const texts = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description });

const ATTRIBUTES: JsonObject = {
  type: 'object',
  description: 'What would be done to a resource',
  properties: {
    namespace: text('Project'),
    verb: text('Such as get, list, create'),
    group: text('API group'),
    version: text('API version'),
    resource: text('Resource type, such as clusters'),
    subresource: text('Such as kubeconfig'),
    name: text('Name of the object'),
  },
};

const PATH_ATTRIBUTES: JsonObject = {
  type: 'object',
  description: 'What would be done to a path that is no resource',
  properties: { path: text('The path'), verb: text('Such as get') },
};

const RULE: JsonObject = {
  type: 'object',
  properties: { verbs: texts('Verbs'), apiGroups: texts('API groups'), resources: texts('Resource types') },
};

const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

/** `spec` and `status` of each review. Source: https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/ */
const REVIEWS: Readonly<
  Record<string, { readonly about: string; readonly spec?: JsonObject; readonly status: JsonObject }>
> = {
  SelfSubjectReview: {
    about: 'Who am I?',
    status: object({ userInfo: object({ username: text('Who one is'), groups: texts('Groups one is in') }) }),
  },
  SelfSubjectAccessReview: {
    about: 'May I do this?',
    spec: object({ resourceAttributes: ATTRIBUTES, nonResourceAttributes: PATH_ATTRIBUTES }),
    status: object({ allowed: { type: 'boolean', description: 'Whether one may do it' } }),
  },
  SelfSubjectRulesReview: {
    about: 'What may I do in this Project?',
    spec: object({ namespace: text('Project asked about') }),
    status: object({
      resourceRules: { type: 'array', items: RULE, description: 'What one may do there' },
      nonResourceRules: { type: 'array', items: { type: 'object' } },
      incomplete: { type: 'boolean' },
    }),
  },
};

/** Questions about oneself, by the document they belong to. */
export function reviewDocuments(): readonly ReviewDocument[] {
  return REVIEW_GROUPS.map(({ group, version, resources }) => {
    const kinds = resources.map(({ kind, plural }) => ({ group, version, kind, plural }));
    return {
      path: `apis/${group}/${version}`,
      paths: Object.fromEntries(kinds.map((kind) => [`/apis/${group}/${version}/${kind.plural}`, reviewPath(kind)])),
      schemas: Object.fromEntries(kinds.map((kind) => [schemaName(kind), reviewSchema(kind)])),
      tags: kinds.map((kind) => ({ name: tagOf(kind), description: REVIEWS[kind.kind]?.about ?? '' })),
    };
  });
}

function reviewPath(kind: ReviewKind): JsonObject {
  const input = {
    id: 'create',
    summary: `Ask a ${kind.kind}`,
    description: 'Answers about the caller; nothing is stored.',
    action: 'post',
    parameters: [PRETTY],
    body: { required: true, content: named(schemaName(kind)) },
    answers: { 201: { description: 'The answer', content: named(schemaName(kind)) } },
    failures: FAILURES_OF.create,
  };
  return { post: operation(kind as KindInfo, input) };
}

function reviewSchema({ group, version, kind }: ReviewKind): JsonObject {
  const { spec, status } = REVIEWS[kind] ?? { status: object({}) };
  return {
    type: 'object',
    description: 'A question of a caller about itself.',
    properties: {
      apiVersion: text(`${group}/${version}`),
      kind: text(kind),
      metadata: { type: 'object' },
      ...(spec ? { spec } : {}),
      status,
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  };
}
