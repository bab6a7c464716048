import { z } from 'zod';
import { TEXT_FORMAT, type SubresourceDefinition } from '../kind/kind.js';
import { attributeChange } from './plan.js';

const side = z.object({
  serial: z.int(),
  lineage: z.string().optional(),
  terraformSerial: z.int().optional(),
  createdAt: z.string(),
});

/** What is in one version of a state and not, or otherwise, in another. */
export const stateDiffSchema = z.object({
  apiVersion: z.string(),
  kind: z.literal('StateDiff'),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  from: side.describe('Version before'),
  to: side.describe('Version after'),
  counts: z.object({ added: z.int(), removed: z.int(), changed: z.int() }),
  resources: z.array(
    z.object({
      address: z.string(),
      type: z.string(),
      name: z.string(),
      action: z.enum(['added', 'removed', 'changed']),
      changes: z.array(attributeChange),
    }),
  ),
  omittedChanges: z.int().describe('Resources whose attributes are left out, because there are too many'),
});

/** Answer of the subresource `diff` of both kinds of state versions; sensitive values are masked. */
export type StateDiff = z.output<typeof stateDiffSchema>;

/** Body of a POST to `diff`. */
export const stateDiffRequest = z.strictObject({
  from: z.int().min(1).describe('Version that is compared with; absent: the one before').optional(),
});

/** Body of a POST to `restore`. */
export const stateRestoreRequest = z.strictObject({
  reason: z.string().trim().min(1).max(500).describe('Why; kept with the version and told as an event'),
});

/** A schema as a subresource states it. */
export function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** What versions of any state can do: be compared, and be put in place again. `afterwards` says who goes on from there. */
export function versionSubresources(afterwards: string): readonly SubresourceDefinition[] {
  const diff = { mediaType: 'application/json', schema: jsonSchemaOf(stateDiffSchema) };
  return [
    {
      name: 'diff',
      verbs: ['get', 'create'],
      description:
        'What changed since the version before; a POST names another version as `from`. Sensitive values are masked; a GET with `format=text` is for people.',
      parameters: [TEXT_FORMAT],
      answers: diff,
      takes: { mediaType: 'application/json', schema: jsonSchemaOf(stateDiffRequest), example: { from: 3 } },
      gives: diff,
    },
    {
      name: 'restore',
      verbs: ['create'],
      description: `Puts the version in place as a new one, while nobody works on the state. ${afterwards}`,
      takes: {
        mediaType: 'application/json',
        schema: jsonSchemaOf(stateRestoreRequest),
        example: { reason: 'Lost in INC-7' },
      },
    },
  ];
}

/** Fields that versions of all states have. */
export const versionFields = {
  serial: z.int().describe('Number of the version; counts up with every change'),
  size: z.int().describe('Bytes'),
  newest: z.boolean().describe('The one that the next run begins with'),
  run: z.string().optional().describe('Run that wrote it; absent: none, or from before this was kept'),
  changedBy: z.string().optional().describe('Person who put it in place'),
  reason: z.string().optional().describe('Why'),
  restoredFrom: z.int().optional().describe('Version that was restored'),
};
