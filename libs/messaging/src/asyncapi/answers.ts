/** A JSON schema, as a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const text: JsonSchema = { type: 'string' };
const object: JsonSchema = {
  type: 'object',
  description: 'An object of the kind, with the metadata of Kubernetes',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: { apiVersion: text, kind: text, metadata: { type: 'object' } },
};
const event: JsonSchema = {
  type: 'object',
  required: ['type', 'object'],
  properties: { type: { type: 'string', enum: ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] }, object },
};

const violation: JsonSchema = {
  type: 'object',
  properties: {
    ...{ policy: text, title: text, field: text, message: text, remedy: text, waiver: text },
    level: { type: 'string', enum: ['must', 'should', 'may'] },
    severity: { type: 'string', enum: ['critical', 'high', 'medium', 'low', 'info'] },
    effect: { type: 'string', enum: ['deny', 'warn', 'inform', 'record'] },
    references: { type: 'array', items: text },
  },
};

/** What methods answer, below `value` of the envelope. */
export const ANSWERS = {
  anything: {},
  object,
  list: {
    type: 'object',
    required: ['items', 'metadata'],
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { type: 'object', properties: { resourceVersion: text, continue: text } },
      items: { type: 'array', items: object },
    },
  },
  changes: {
    type: 'object',
    required: ['events'],
    properties: { events: { type: 'array', items: event }, resourceVersion: text, bookmark: object },
  },
  written: {
    type: 'object',
    required: ['object', 'created', 'warnings'],
    properties: { object, created: { type: 'boolean' }, warnings: { type: 'array', items: text } },
  },
  log: {
    type: 'object',
    required: ['text', 'cursor', 'isComplete'],
    properties: { text, cursor: text, isComplete: { type: 'boolean' } },
  },
  review: {
    type: 'object',
    required: ['allowed', 'violations'],
    properties: {
      allowed: { type: 'boolean' },
      violations: { type: 'array', items: violation },
      recorded: { type: 'array', items: violation, description: 'Waived, or only tried out' },
    },
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** A failure, as Kubernetes' clients know it, and what a Status has no room for. */
export const FAILURE: JsonSchema = {
  type: 'object',
  required: ['ok', 'status'],
  properties: {
    ok: { const: false },
    status: {
      type: 'object',
      required: ['kind', 'status', 'message', 'reason', 'code'],
      properties: {
        kind: { const: 'Status' },
        status: { const: 'Failure' },
        message: text,
        reason: text,
        code: { type: 'integer' },
        details: { type: 'object' },
      },
    },
    details: { type: 'object', description: 'Between services only' },
  },
};
