import { AUDIT_EVENT_SELECTORS } from '@crate/api';
import { failuresOf, type ServerDocument } from '@crate/resource-server';

type Schema = ServerDocument['paths'];

const text: Schema = { type: 'string' };
const whole: Schema = { type: 'integer', minimum: 0 };
const hash: Schema = { type: 'string', pattern: '^[0-9a-f]{64}$' };

function object(required: Schema, optional: Schema = {}): Schema {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

const query = (name: string, schema: Schema, description: string): Schema => ({
  ...{ name, in: 'query', description },
  schema,
});

const RECORD: Schema = {
  type: 'object',
  description: 'Who did what when, from where, with which outcome: byte for byte as it was hashed',
};

const LINE: Schema = {
  ...object({ service: text, seq: whole, hash, record: RECORD }),
  description:
    'One row. `hash` is the SHA-256 of the 32 bytes of the hash before it in the same service (of zeros before the first), `seq`, a space and the record',
};

const LOGS = object({
  logs: {
    type: 'array',
    items: object(
      {
        service: text,
        isWhole: { type: 'boolean', description: 'Nothing was found that is not as it was written' },
        ...{ rows: whole, checkpoints: whole, head: object({ seq: whole, hash: text }) },
        problems: { type: 'array', items: object({ seq: whole, message: text }) },
      },
      { unproven: { ...whole, description: 'Checkpoints whose public keys nobody knows any more' } },
    ),
  },
});

const EXPORT: Schema = {
  operationId: 'exportAuditEvents',
  tags: ['audit'],
  summary: 'The audit log as JSON lines',
  description:
    'Administrators of a Project have what was done in it since it was made, platform administrators all. An answer that is cut off is not whole: the connection then breaks.',
  parameters: [
    query('namespace', text, 'Only of this Project; absent: of all'),
    query(
      'fieldSelector',
      text,
      `Only rows with these fields, such as \`user=ada,verb=delete\`: ${AUDIT_EVENT_SELECTORS.join(', ')}`,
    ),
  ],
  responses: {
    200: { description: 'The rows, oldest first', content: { 'application/x-ndjson': { schema: LINE } } },
    ...failuresOf([400]),
  },
};

const VERIFY: Schema = {
  operationId: 'verifyAuditLogs',
  tags: ['audit'],
  summary: 'Recomputes the chains of the audit logs',
  description: 'For platform administrators. Takes as long as the logs are.',
  parameters: [
    {
      ...query(
        'checkpoint',
        { type: 'array', items: { type: 'string', pattern: '^[a-z0-9-]+:\\d{1,15}:[0-9a-f]{64}$' } },
        'A checkpoint that was kept elsewhere, as `service:row:hash`; may be stated many times',
      ),
      ...{ style: 'form', explode: true },
    },
    query('pretty', { type: 'boolean' }, 'Indents JSON for people'),
  ],
  responses: {
    200: {
      description: 'What was found in the log of each service',
      content: { 'application/json': { schema: LOGS }, 'application/yaml': { schema: LOGS } },
    },
    ...failuresOf([400]),
  },
};

/** The audit log beyond what objects can be used for. */
export const AUDIT_DOCUMENT: ServerDocument = {
  path: 'audit',
  tags: [{ name: 'audit', description: 'The audit log, to be kept elsewhere and to be held against what was kept.' }],
  paths: { '/audit/events': { get: EXPORT }, '/audit/verify': { get: VERIFY } },
};
