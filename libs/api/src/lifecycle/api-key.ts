import { z } from 'zod';
import { statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf, type SubresourceDefinition } from '../kind/kind.js';
import { PROJECT_ROLES } from './project.js';

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LIFETIME = /^([1-9]\d{0,4})([mhd])$/;

const lifetime = z
  .string()
  .regex(LIFETIME, 'must be a whole number of minutes, hours or days, such as 30m, 12h or 90d');

/** Milliseconds of a lifetime such as `90d`; undefined when it is malformed. */
export function parseLifetime(text: string): number | undefined {
  const [, amount, unit] = LIFETIME.exec(text) ?? [];
  const factor = UNIT_MS[unit ?? ''];
  return factor === undefined ? undefined : Number(amount) * factor;
}

const scope = z.strictObject({
  resources: z
    .array(
      z.string().regex(/^(\*|[a-z0-9.-]+(\/[a-z]+)?)$/, 'must be a resource such as clusters or clusters/kubeconfig'),
    )
    .min(1)
    .max(50)
    .optional()
    .describe('Resources it may be used for, by plural name; absent: all that the role allows'),
  verbs: z
    .array(z.enum(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']))
    .min(1)
    .optional()
    .describe('What it may be used for there; absent: all that the role allows'),
});

/** Body of a request for a token. */
export const apiKeyTokenRequest = z.strictObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata: z.looseObject({}).optional(),
  spec: z
    .strictObject({
      overlap: lifetime.optional().describe('How long the token before stays good; absent: it ends at once'),
    })
    .prefault({}),
});

/** Issues the token of a key, and shows it this once. */
const TOKEN_SUBRESOURCE: SubresourceDefinition = {
  name: 'token',
  verbs: ['create'],
  isSecret: true,
  description: 'Issues a token and shows it this once; the token before ends, at once or after an overlap.',
  takes: {
    mediaType: 'application/json',
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { overlap: { type: 'string' } } } },
    },
    example: { spec: { overlap: '1h' } },
  },
  gives: {
    mediaType: 'application/json',
    schema: {
      type: 'object',
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { type: 'object', properties: { name: { type: 'string' }, namespace: { type: 'string' } } },
        status: {
          type: 'object',
          properties: {
            token: { type: 'string' },
            tokenPrefix: { type: 'string' },
            expirationTimestamp: { type: 'string', format: 'date-time' },
          },
        },
      },
    },
  },
};

/** A machine's way in: what it may do is data, and the token is issued apart and never stored. */
export const API_KEY = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'APIKey',
  plural: 'apikeys',
  categories: ['crate'],
  namespaced: true,
  description: 'A way in for a machine, with a role in the Project it belongs to.',
  example: { description: 'Pipeline of the shop', role: 'operator', lifetime: '90d' },
  spec: z.strictObject({
    description: z.string().max(1000).optional().describe('What uses it'),
    role: z.enum(PROJECT_ROLES).describe('What it may do in its Project, and nowhere else'),
    lifetime: lifetime
      .optional()
      .describe('How long a token is good for, such as 90d; absent: as the platform is configured'),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('Ends every token, however long its lifetime; RFC 3339'),
    scope: scope.optional().describe('Narrows the role further'),
    disabled: z.boolean().default(false).describe('Refuses its tokens until set back'),
  }),
  status: statusBase.extend({
    createdBy: z.string().optional().describe('Who made the key'),
    tokenPrefix: z.string().optional().describe('How its token begins; not secret'),
    issuedAt: z.string().optional().describe('When the token was issued'),
    issuedBy: z.string().optional().describe('Who had it issued'),
    expiresAt: z.string().optional().describe('When the token ends'),
    lastUsedAt: z.string().optional().describe('When a token was last used, to within some minutes'),
  }),
  printerColumns: [
    { name: 'Role', type: 'string', jsonPath: '.spec.role' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Expires', type: 'string', jsonPath: '.status.expiresAt' },
    { name: 'Last-used', type: 'date', jsonPath: '.status.lastUsedAt' },
    { name: 'Token', type: 'string', jsonPath: '.status.tokenPrefix', priority: 1 },
    { name: 'Created-by', type: 'string', jsonPath: '.status.createdBy', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: [TOKEN_SUBRESOURCE],
});

/** Holds no token: that is shown once, by the subresource `token`, and kept as its SHA-256 alone. */
export type ApiKey = ObjectOf<typeof API_KEY>;
