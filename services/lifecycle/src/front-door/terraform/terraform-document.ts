import { failuresOf, type ServerDocument } from '@crate/resource-server';

type Schema = ServerDocument['paths'];

const text: Schema = { type: 'string' };
const segment = (name: string, description: string): Schema => ({
  ...{ name, in: 'path', required: true, description },
  schema: text,
});

const STATE: Schema = {
  type: 'object',
  description: 'A Terraform state of version 4, as Terraform writes it',
  required: ['version', 'serial', 'lineage'],
  properties: { version: { type: 'integer', enum: [4] }, serial: { type: 'integer' }, lineage: text },
};

const LOCK: Schema = {
  type: 'object',
  description: 'What Terraform says of itself',
  required: ['ID'],
  properties: { ID: text, Operation: text, Info: text, Who: text, Version: text, Created: text },
};

/** Beside the words of Terraform those that it has none for. */
const HELD: Schema = {
  type: 'object',
  description:
    'Who holds the lock. `ID` goes on with a sentence for people, because it is all that Terraform prints of it',
  required: ['ID', 'LockID', 'Who', 'Operation', 'Created', 'State', 'Message'],
  properties: {
    ...{ ID: text, LockID: text, Who: text, Operation: text, Created: text, Info: text, Epoch: text },
    State: { type: 'string', enum: ['live', 'orphaned'] },
    ...{ Message: text, Remedy: text },
  },
};

const json = (schema: Schema): Schema => ({ 'application/json': { schema } });
const done: Schema = { description: 'Done' };

function operation(operationId: string, summary: string, rest: Schema, failures: readonly number[]): Schema {
  const { responses = {}, ...others } = rest;
  return {
    ...{ operationId, tags: ['terraform'], summary },
    ...others,
    responses: { ...(responses as Schema), ...failuresOf(failures) },
  };
}

const LOCKED: Schema = { description: 'Somebody else holds the lock', content: json(HELD) };
const LOCKING = { responses: { 200: done, 423: LOCKED }, requestBody: { required: true, content: json(LOCK) } };
const UNLOCKING = { responses: { 200: done }, requestBody: { content: json(LOCK) } };

/** The HTTP backend for Terraform. OpenAPI 3.0 knows no methods but its own, so LOCK and UNLOCK stand where 3.2 has them, as an extension. */
export const TERRAFORM_DOCUMENT: ServerDocument = {
  path: 'terraform',
  tags: [
    {
      name: 'terraform',
      description:
        'Terraform states, in the protocol of the HTTP backend of stock Terraform: GET, POST, LOCK and UNLOCK. For platform administrators and the groups that may break the glass. The token may also be the password of basic authentication.',
    },
  ],
  paths: {
    '/terraform/{project}/{infrastructure}': {
      parameters: [segment('project', 'Project'), segment('infrastructure', 'Name of the Infrastructure')],
      get: operation(
        'readTerraformState',
        'The state as it is, secrets included',
        { responses: { 200: { description: 'The state', content: json(STATE) }, 204: { description: 'None yet' } } },
        [405, 409],
      ),
      post: operation(
        'storeTerraformState',
        'Stores a state as a new version, by the name of the caller',
        {
          parameters: [{ name: 'ID', in: 'query', description: 'Of the lock that the caller holds', schema: text }],
          requestBody: { required: true, content: json(STATE) },
          responses: { 200: done },
        },
        [400, 405, 409, 413, 422],
      ),
      'x-additionalOperations': {
        LOCK: operation('lockTerraformState', 'Locks the state for the caller', LOCKING, [400, 409, 413, 422]),
        UNLOCK: operation(
          'unlockTerraformState',
          'Gives the lock of a person back; without a body whoever holds it',
          UNLOCKING,
          [400, 409, 413, 422],
        ),
      },
    },
  },
};
