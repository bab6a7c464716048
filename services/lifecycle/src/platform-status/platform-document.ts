import { PLATFORM_STATUS_PATH, platformStatusSchema, platformSummarySchema } from '@crate/api';
import { failuresOf, type ServerDocument } from '@crate/resource-server';
import { z } from 'zod';
import { UPGRADE_PLAN_PATHS } from '../component/upgrade-plan.document.js';

const DESCRIPTION = `Platform administrators see all of it (\`detail: full\`), everybody else who signed in the health, the version and the state of each service (\`detail: summary\`).
At most a second old. It waits for no service longer than two seconds: one that does not answer is \`answered: false\`, with what it said last, and when.`;

const SCHEMA = { oneOf: [schemaOf(platformStatusSchema), schemaOf(platformSummarySchema)] };

/** How the platform itself is. */
export const PLATFORM_DOCUMENT: ServerDocument = {
  path: 'platform',
  tags: [
    {
      name: 'platform',
      description:
        'How the platform itself is: services, queues, leases, NATS, PostgreSQL, what to do about it, and what an upgrade would lead to.',
    },
  ],
  paths: {
    [PLATFORM_STATUS_PATH]: {
      get: {
        operationId: 'readPlatformStatus',
        tags: ['platform'],
        summary: 'How the platform is',
        description: DESCRIPTION,
        parameters: [
          { name: 'pretty', in: 'query', description: 'Indents JSON for people', schema: { type: 'boolean' } },
        ],
        responses: {
          200: {
            description: 'As far as the caller may see it',
            content: { 'application/json': { schema: SCHEMA }, 'application/yaml': { schema: SCHEMA } },
          },
          ...failuresOf([400, 405]),
        },
      },
    },
    ...UPGRADE_PLAN_PATHS,
  },
};

function schemaOf(schema: z.ZodType): ServerDocument['paths'] {
  return z.toJSONSchema(schema, { io: 'input', target: 'openapi-3.0' });
}
