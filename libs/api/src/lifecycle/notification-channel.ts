import { z } from 'zod';
import { statusBase } from '../kind/fields.js';
import { LIFECYCLE_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf, type SubresourceDefinition } from '../kind/kind.js';
import { labelSelector } from '../kind/label-selector.js';
import { notificationDeliveriesJsonSchema, notificationTestJsonSchema } from './notification-delivery.js';

/** How bad news is, from the worst on. */
export const NOTIFICATION_SEVERITIES = ['Critical', 'Warning', 'Info'] as const;
/** How bad news is. */
export type NotificationSeverity = (typeof NOTIFICATION_SEVERITIES)[number];

/** Ways that news goes out. */
export const NOTIFICATION_TYPES = ['webhook', 'slack', 'email'] as const;
/** A way that news goes out. */
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

const WRITE_ONLY = { writeOnly: true };
const LONGEST_URL = 2_048;

const address = z
  .url({ protocol: /^https?$/, error: 'must be an https:// URL' })
  .max(LONGEST_URL)
  .refine((text) => !/^https?:\/\/[^/?#]*@/.test(text), 'must not hold a user or password; use spec.webhook.headers');

const header = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be the name of an HTTP header, such as Authorization')
    .refine((name) => !isReserved(name), 'must not be a header that Crate sets itself')
    .describe('Name of the header'),
  value: z
    .string()
    .max(8_192)
    .regex(/^[\t\x20-\x7e]+$/, 'must be printable ASCII on one line')
    .optional()
    .describe('Write-only: stored encrypted, never shown again; absent: the value stored under this name')
    .meta(WRITE_ONLY),
});

const webhook = z.strictObject({
  url: address.describe('Where CloudEvents are sent by POST; readable, so secrets belong into headers'),
  secret: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      'Write-only: signs each body as Standard Webhooks have it; whsec_… is taken as base64; empty text: signs no more',
    )
    .meta(WRITE_ONLY),
  headers: z
    .array(header)
    .max(20)
    .refine(hasDistinctNames, 'must name each header once')
    .optional()
    .describe('Further headers of each request; their values are stored encrypted and never shown'),
});

const slack = z.strictObject({
  url: address
    .optional()
    .describe('Write-only, since whoever knows it can post: the URL of an incoming webhook; absent: the one stored')
    .meta(WRITE_ONLY),
});

const email = z.strictObject({
  to: z.array(z.email().max(254)).min(1).max(20).describe('Who is written to'),
  from: z
    .email()
    .max(254)
    .optional()
    .describe(
      "Sender, in the domain of the platform's own, where operators allow it; else answers go there. Absent: that one",
    ),
});

const match = z.strictObject({
  kinds: z.array(z.string().min(1)).min(1).max(50).optional().describe('Only about objects of these kinds'),
  reasons: z.array(z.string().min(1)).min(1).max(100).optional().describe('Only for these reasons'),
  clusterSelector: labelSelector.optional().describe('Only about Clusters with these labels'),
});

const spec = z
  .strictObject({
    type: z.enum(NOTIFICATION_TYPES).describe('How news goes out; the block of the same name says where to'),
    webhook: webhook.optional().describe('A receiver of CloudEvents 1.0 in JSON'),
    slack: slack.optional().describe('Slack, or whatever takes messages as Slack does'),
    email: email.optional().describe('E-mail by the mail server of the platform'),
    severities: z
      .array(z.enum(NOTIFICATION_SEVERITIES))
      .min(1)
      .default(['Critical', 'Warning'])
      .describe('How bad news must be'),
    match: match.optional().describe('Narrows it further; absent: all of the Project'),
    paused: z
      .boolean()
      .default(false)
      .describe(
        'Sends nothing, and forgets what happens meanwhile; what waits already goes on waiting until it is given up',
      ),
    secretsFingerprint: z.string().optional().describe('Set by the server: identifies what is stored encrypted'),
  })
  .superRefine((value, context) => {
    for (const type of NOTIFICATION_TYPES) {
      const isStated = value[type] !== undefined;
      if (isStated === (type === value.type)) continue;
      const message = isStated ? `must be absent: spec.type is ${value.type}` : `is required: spec.type is ${type}`;
      context.addIssue({ code: 'custom', path: [type], message });
    }
  });

const DELIVERIES_SUBRESOURCE: SubresourceDefinition = {
  name: 'deliveries',
  verbs: ['get'],
  description: 'What was sent, what waits, each attempt and what came of it; the newest first.',
  parameters: [
    { name: 'limit', description: 'At most so many messages; 1 to 500, default 50.' },
    {
      name: 'state',
      description: 'Only messages that stand so.',
      values: ['Pending', 'Delivered', 'Failed', 'Dropped'],
    },
  ],
  answers: { mediaType: 'application/json', schema: notificationDeliveriesJsonSchema },
};

const TEST_SUBRESOURCE: SubresourceDefinition = {
  name: 'test',
  verbs: ['create'],
  description: 'Sends a test message now, once, and answers what came of it.',
  takes: { mediaType: 'application/json', schema: { type: 'object' }, example: {} },
  gives: { mediaType: 'application/json', schema: notificationTestJsonSchema },
};

/** Where a Project wants to hear of what happens in it. Secrets go in, and never come out. */
export const NOTIFICATION_CHANNEL = defineKind({
  group: LIFECYCLE_GROUP,
  version: V1ALPHA1,
  kind: 'NotificationChannel',
  plural: 'notificationchannels',
  shortNames: ['nc'],
  categories: ['crate'],
  namespaced: true,
  description: 'Where a Project hears of what happens in it: a webhook, Slack or e-mail.',
  example: {
    type: 'webhook',
    webhook: { url: 'https://hooks.example.org/crate', secret: '<signing secret>' },
    severities: ['Critical', 'Warning'],
  },
  spec,
  secretsShownAs: 'secretsFingerprint',
  status: statusBase.extend({
    lastDeliveryAt: z.string().optional().describe('When a message was delivered last'),
    pending: z.int().optional().describe('Messages that wait, or are tried again'),
    failed: z.int().optional().describe('Messages that were given up'),
    dropped: z
      .int()
      .optional()
      .describe('Messages that were never tried, because too many waited, or they did for too long'),
  }),
  selectableFields: ['spec.type'],
  printerColumns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Delivering', type: 'string', jsonPath: '.status.conditions[?(@.type=="Delivering")].status' },
    { name: 'Pending', type: 'integer', jsonPath: '.status.pending' },
    { name: 'Failed', type: 'integer', jsonPath: '.status.failed' },
    { name: 'Last-delivery', type: 'date', jsonPath: '.status.lastDeliveryAt' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: [DELIVERIES_SUBRESOURCE, TEST_SUBRESOURCE],
});

/** Where a Project wants to hear of what happens in it. */
export type NotificationChannel = ObjectOf<typeof NOTIFICATION_CHANNEL>;

/** What would let a channel say something else than Crate says, or break the request. */
function isReserved(name: string): boolean {
  const lower = name.toLowerCase();
  const hop = ['connection', 'content-length', 'content-type', 'expect', 'host', 'te', 'trailer', 'transfer-encoding'];
  return lower.startsWith('webhook-') || lower === 'upgrade' || lower === 'user-agent' || hop.includes(lower);
}

function hasDistinctNames(headers: readonly { readonly name: string }[]): boolean {
  return new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length;
}
