import { UPGRADE_PLAN_PATH, upgradePlanSchema } from '@crate/api';
import { failuresOf, type ServerDocument } from '@crate/resource-server';
import { z } from 'zod';

const DESCRIPTION = `Which services would be brought to which version in which order, and all that is in the way, each with what to do about it. For platform administrators.
Nothing is changed by asking: the version is set in \`spec.version\` of the components.`;

const SCHEMA = z.toJSONSchema(upgradePlanSchema, { io: 'input', target: 'openapi-3.0' });

/** What an upgrade of the platform would lead to. */
export const UPGRADE_PLAN_PATHS: ServerDocument['paths'] = {
  [UPGRADE_PLAN_PATH]: {
    get: {
      operationId: 'planPlatformUpgrade',
      tags: ['platform'],
      summary: 'What an upgrade of the platform would lead to',
      description: DESCRIPTION,
      parameters: [
        {
          ...{ name: 'to', in: 'query', schema: { type: 'string' } },
          description: 'The version; absent: the newest that is offered',
        },
        { name: 'pretty', in: 'query', description: 'Indents JSON for people', schema: { type: 'boolean' } },
      ],
      responses: {
        200: {
          description: 'As things are now',
          content: { 'application/json': { schema: SCHEMA }, 'application/yaml': { schema: SCHEMA } },
        },
        ...failuresOf([400, 405, 409]),
      },
    },
  },
};
