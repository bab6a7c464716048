import type { ServerDocument } from '@crate/resource-server';
import { LOGIN_PATH } from './login-route.js';

type Schema = ServerDocument['paths'];

const text: Schema = { type: 'string' };

const ISSUER: Schema = {
  type: 'object',
  required: ['name', 'issuer', 'clientId', 'scopes'],
  properties: {
    ...{ name: text, issuer: text, clientId: text, resource: text },
    scopes: { type: 'array', items: text },
    certificateAuthority: { ...text, description: 'PEM of the authorities of the issuer; absent: well known ones' },
  },
};

const OFFERED: Schema = {
  type: 'object',
  required: ['issuers'],
  properties: { issuers: { type: 'array', items: ISSUER } },
};

/** How a client finds out how to sign in. */
export const LOGIN_DOCUMENT: ServerDocument = {
  path: '.well-known',
  tags: [{ name: 'signing in', description: 'Who issues tokens that are taken here.' }],
  paths: {
    [LOGIN_PATH]: {
      get: {
        operationId: 'readLogin',
        tags: ['signing in'],
        summary: 'The issuers that people may sign in at; `crate login` asks for them',
        security: [],
        responses: {
          200: {
            description: 'As they are set up; none: by tokens of the platform alone',
            content: { 'application/json': { schema: OFFERED }, 'application/yaml': { schema: OFFERED } },
          },
        },
      },
    },
  },
};
