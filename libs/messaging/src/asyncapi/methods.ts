import {
  auditReadRequest,
  auditVerifyRequest,
  planPreviewRequest,
  POLICY_STAGES,
  serviceReportSchema,
} from '@crate/api';
import { z } from 'zod';
import { MOST_RENEWED_AT_ONCE, MOST_REVIEWS_AT_ONCE } from '../policy/review-batches.js';
import { requests } from '../resources/schemas.js';
import { ANSWERS, type JsonSchema } from './answers.js';

/** A method that services answer, as the contract describes it. */
export interface MethodDescription {
  readonly name: string;
  readonly summary: string;
  /** What the caller's token must grant. */
  readonly scope: string;
  readonly request: JsonSchema;
  readonly answer: JsonSchema;
  /** Absent: every service. */
  readonly service?: string;
}

interface Words {
  readonly summary: string;
  readonly scope?: string;
  readonly answer: JsonSchema;
}

/** Whether a method changes anything follows from its scope. */
const READ = 'resources:read';
const WRITE = 'resources:write';

/** Requests of `poll` go to the method `watch`; all others are called as their request. */
const RESOURCE_METHODS: Readonly<Record<keyof typeof requests, Words & { readonly name?: string }>> = {
  get: { summary: 'One object', answer: ANSWERS.object },
  list: { summary: 'A page of objects of one snapshot, as many as fit into a message', answer: ANSWERS.list },
  poll: { name: 'watch', summary: 'Changes after a revision, as soon as there are any', answer: ANSWERS.changes },
  readSubresource: {
    summary: 'A subresource of an object',
    scope: `${READ}, or kubeconfig:read for kubeconfig`,
    answer: ANSWERS.anything,
  },
  readLog: { summary: 'The next part of a log', answer: ANSWERS.log },
  create: { summary: 'Creates an object', scope: WRITE, answer: ANSWERS.written },
  update: { summary: 'Replaces an object', scope: WRITE, answer: ANSWERS.written },
  patch: { summary: 'Changes an object, or applies it', scope: WRITE, answer: ANSWERS.written },
  remove: { summary: 'Asks for the deletion of an object', scope: WRITE, answer: ANSWERS.object },
  removeCollection: { summary: 'Asks for the deletion of all that match', scope: WRITE, answer: ANSWERS.list },
  writeSubresource: { summary: 'Writes a subresource other than status', scope: WRITE, answer: ANSWERS.anything },
};

const text: JsonSchema = { type: 'string' };
const whole: JsonSchema = { type: 'integer', minimum: 0 };

const REVIEW_REQUEST: JsonSchema = {
  type: 'object',
  required: ['stage', 'document', 'subject'],
  properties: {
    stage: { type: 'string', enum: POLICY_STAGES },
    operation: { type: 'string', enum: ['CREATE', 'UPDATE', 'DELETE'] },
    document: { type: 'object' },
    oldDocument: { type: 'object', description: 'What is there now' },
    subject: {
      type: 'object',
      required: ['namespace', 'name'],
      properties: {
        ...{ namespace: text, name: text, cluster: text, provider: text, engine: text },
        kind: { type: 'object', properties: { group: text, version: text, kind: text } },
        labels: { type: 'object', additionalProperties: text },
      },
    },
    userInfo: { type: 'object', properties: { username: text, groups: { type: 'array', items: text } } },
    dryRun: { type: 'boolean' },
    remember: { type: 'boolean', description: 'Kept for reports, and judged again when rules change' },
  },
};

const REVIEW: readonly MethodDescription[] = [
  {
    name: 'review',
    service: 'policy-mgmt',
    summary: 'Whether a document may be acted on',
    scope: 'policy:review',
    request: REVIEW_REQUEST,
    answer: ANSWERS.review,
  },
  {
    name: 'reviewAll',
    service: 'policy-mgmt',
    summary: 'Whether many documents may be acted on: a verdict for each, in order',
    scope: 'policy:review',
    request: {
      type: 'object',
      required: ['requests'],
      properties: {
        requests: { type: 'array', minItems: 1, maxItems: MOST_REVIEWS_AT_ONCE, items: REVIEW_REQUEST },
        partial: { type: 'boolean', description: 'More belong to them, which are asked about apart' },
      },
    },
    answer: {
      type: 'object',
      required: ['responses'],
      properties: { responses: { type: 'array', items: ANSWERS.review } },
    },
  },
];

const FORGET: MethodDescription = {
  name: 'forget',
  service: 'policy-mgmt',
  summary: 'Documents that were to be remembered have no owner any more; what is absent may be anything',
  scope: 'policy:review',
  request: {
    type: 'object',
    required: ['namespace'],
    additionalProperties: false,
    properties: {
      namespace: text,
      cluster: text,
      stage: { type: 'string', enum: [...POLICY_STAGES] },
      kind: text,
      name: text,
    },
  },
  answer: { type: 'object', required: ['clusters'], properties: { clusters: whole } },
};

const RENEW: MethodDescription = {
  name: 'renew',
  service: 'policy-mgmt',
  summary: 'Documents are there still that nobody asks about: what is remembered of them stays',
  scope: 'policy:review',
  request: {
    type: 'object',
    required: ['documents'],
    additionalProperties: false,
    properties: {
      documents: {
        type: 'array',
        minItems: 1,
        maxItems: MOST_RENEWED_AT_ONCE,
        items: {
          type: 'object',
          required: ['namespace', 'cluster', 'stage', 'kind', 'name'],
          additionalProperties: false,
          properties: {
            namespace: text,
            cluster: text,
            stage: { type: 'string', enum: [...POLICY_STAGES] },
            kind: text,
            name: text,
          },
        },
      },
    },
  },
  answer: { type: 'object' },
};

const PREVIEW: MethodDescription = {
  name: 'plan.preview',
  service: 'cloud-mgmt',
  summary: 'What Terraform would do for an Infrastructure that somebody wishes for; nothing is stored',
  scope: READ,
  request: jsonSchemaOf(planPreviewRequest),
  answer: {
    type: 'object',
    required: ['digest', 'counts', 'resources', 'omittedChanges', 'review'],
    properties: {
      digest: text,
      stateSerial: whole,
      counts: { type: 'object', additionalProperties: whole },
      resources: { type: 'array', items: { type: 'object' } },
      omittedChanges: whole,
      impact: { type: 'object', properties: { impact: text, address: text } },
      review: ANSWERS.review,
    },
  },
};

const LINK: JsonSchema = { type: 'object', required: ['seq', 'hash'], properties: { seq: whole, hash: text } };
const EPOCH =
  'The second since 1970 in which the database was last set back to an older point, after which numbers of rows are given again; 0 or absent: never';

const AUDIT: readonly MethodDescription[] = [
  {
    name: 'audit.read',
    summary: 'Rows of the audit log that match',
    scope: 'audit:read',
    request: jsonSchemaOf(auditReadRequest),
    answer: { type: 'object', properties: { rows: { type: 'array', items: { type: 'object' } }, readTo: whole } },
  },
  {
    name: 'audit.state',
    summary: 'How far the audit log goes',
    scope: 'audit:read',
    request: {},
    answer: {
      type: 'object',
      required: ['head', 'floor'],
      properties: { head: LINK, floor: LINK, epoch: { ...whole, description: EPOCH } },
    },
  },
  {
    name: 'audit.verify',
    summary: 'Whether the chain of the audit log is whole',
    scope: 'audit:read',
    request: jsonSchemaOf(auditVerifyRequest),
    answer: { type: 'object' },
  },
];

const STATUS: MethodDescription = {
  name: 'status',
  summary: 'How the service and each of its replicas is; any replica answers for all',
  scope: 'status:read',
  request: {},
  answer: jsonSchemaOf(serviceReportSchema),
};

/** Every method that services call of each other. */
export function describedMethods(): readonly MethodDescription[] {
  const resources = Object.entries(RESOURCE_METHODS).map(([key, { name = key, scope = READ, ...words }]) => ({
    ...words,
    scope,
    name: `resources.${name}`,
    request: jsonSchemaOf(requests[key as keyof typeof requests]),
  }));
  return [...resources, ...REVIEW, FORGET, RENEW, PREVIEW, ...AUDIT, STATUS];
}

/** What each method of a service takes to be called, as the contract has it and `ServiceMethods.scopes` would say it. */
export function describedScopes(service: string): Readonly<Record<string, string>> {
  const own = describedMethods().filter((each) => (each.service ?? service) === service);
  return Object.fromEntries(own.map(({ name, scope }) => [name, scope.includes(' ') ? 'by request' : scope]));
}

/** A schema as AsyncAPI 3.0 takes it, which is JSON schema of draft 7. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-7',
  });
  return rest;
}
