import { FLEET_HEALTHS, FLEET_LIMIT, FLEET_PATH } from '@crate/api';
import { failuresOf, type ServerDocument } from '@crate/resource-server';
import { FLEET_ORDERS } from './fleet-order.js';
import { FLEET_FILTERS, LONGEST_TEXT } from './fleet-query.js';

type Schema = ServerDocument['paths'];

const text: Schema = { type: 'string' };
const whole: Schema = { type: 'integer', minimum: 0 };
const time: Schema = { type: 'string', format: 'date-time' };
const health: Schema = { type: 'string', enum: FLEET_HEALTHS };

function object(required: Schema, optional: Schema = {}): Schema {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

const list = (items: Schema): Schema => ({ type: 'array', items });
const count = object({ ready: whole, wanted: whole });

const CAUSE: Schema = {
  ...object({ condition: text, reason: text, message: text, since: time }, { remedy: text }),
  description: 'What is said first of the cluster: by which condition, since when, and what to do about it',
};

const ROW = object(
  {
    ...{ uid: text, namespace: text, name: text, health },
    attention: {
      ...{ type: 'integer', minimum: 0, maximum: 100 },
      description: 'The higher, the sooner a person should look',
    },
    ...{ provider: text, region: text, version: text, engine: text, nodes: count, addOns: count },
    ...{ drifted: { type: 'boolean' }, createdAt: time },
  },
  {
    ...{ cause: CAUSE, phase: text, class: text, deletingSince: time },
    progress: object({ step: whole, steps: whole, message: text }),
    monthlyCost: { ...object({ amount: { type: 'number' }, currency: text }), description: 'By list prices' },
    policy: { ...object({ fail: whole, warn: whole }), description: 'What the last review of the spec found' },
  },
);

const GROUP = object({ key: text, total: whole, health: { type: 'object', additionalProperties: whole } });
const GROUPS: Schema = {
  byProject: list(GROUP),
  byRegion: list(GROUP),
  byVersion: list(GROUP),
  byProvider: list(GROUP),
};

const ROLLUP: Schema = {
  ...object({ health: object(Object.fromEntries(FLEET_HEALTHS.map((name) => [name, whole]))), ...GROUPS }),
  description: 'Counts over everything that matches, not only over the page',
};

const PAGE = object({
  kind: { type: 'string', enum: ['FleetPage'] },
  revision: { ...text, description: 'Of the clusters that the page was made from' },
  total: { ...whole, description: 'Clusters that the caller may see' },
  matching: { ...whole, description: 'Of these the ones that match' },
  ...{ offset: whole, rows: list(ROW), rollup: ROLLUP },
});

const LINE = object({ type: { type: 'string', enum: ['PAGE', 'BEAT'] } }, { page: PAGE });

const query = (name: string, schema: Schema, description: string): Schema => ({
  name,
  in: 'query',
  description,
  schema,
});

const PARAMETERS = [
  ...FLEET_FILTERS.map((name) => query(name, text, `Only clusters of one of these, with commas between them: ${name}`)),
  query('health', text, `Only clusters that stand so, with commas between them: ${FLEET_HEALTHS.join(', ')}`),
  query('q', { ...text, maxLength: LONGEST_TEXT }, 'Part of the name, Project, class or cause'),
  query(
    'sort',
    { type: 'string', enum: FLEET_ORDERS },
    'From the least to the most; with "-" from the most. Default: -attention',
  ),
  query('offset', whole, 'Rows before the page'),
  query(
    'limit',
    { type: 'integer', minimum: 1, maximum: FLEET_LIMIT.most },
    `Most rows; default ${FLEET_LIMIT.standard}`,
  ),
  query(
    'watch',
    { type: 'boolean' },
    'The page, and again whenever something on it changed, as one JSON document a line',
  ),
  query('timeoutSeconds', { type: 'integer', minimum: 1, maximum: 86_400 }, 'Watch: ends after this time'),
  query('pretty', { type: 'boolean' }, 'Indents JSON for people'),
];

/** The fleet: clusters of all Projects that the caller may see. */
export const FLEET_DOCUMENT: ServerDocument = {
  path: 'fleet',
  tags: [
    {
      name: 'fleet',
      description: 'All clusters that the caller may see: how they stand and why, searched, sorted and counted.',
    },
  ],
  paths: {
    [FLEET_PATH]: {
      get: {
        operationId: 'readFleet',
        tags: ['fleet'],
        summary: 'A page of clusters, what needs a person first',
        description:
          'Made from memory. With `watch=true` lines of type PAGE whenever something on the page changed, at most two a second, and of type BEAT every 20 s while nothing does.',
        parameters: PARAMETERS,
        responses: {
          200: {
            description: 'The page, or pages as they change',
            content: {
              'application/json': { schema: PAGE },
              'application/yaml': { schema: PAGE },
              'application/json;stream=watch': { schema: LINE },
            },
          },
          ...failuresOf([400, 405]),
        },
      },
    },
  },
};
