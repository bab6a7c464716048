import { z } from 'zod';
import type { SubresourceDefinition } from '../kind/kind.js';

/** How a cloud resource stands, as far as is known without asking the cloud now. */
export const RESOURCE_HEALTHS = [
  /** It is as it was applied, by the last comparison with the cloud. */
  'ok',
  /** Its creation was not finished: the next run replaces it. */
  'tainted',
  /** The last comparison found it otherwise than it was applied. */
  'changed',
  /** The last comparison did not find it. */
  'missing',
] as const;

const resource = z.object({
  address: z.string().describe('As Terraform names it, such as aws_instance.demo-workers-0'),
  type: z.string(),
  name: z.string(),
  id: z.string().optional().describe("The provider's id; absent: it has none yet, or it may be a secret"),
  health: z.enum(RESOURCE_HEALTHS),
});

/** Every cloud resource of an Infrastructure. */
export const infrastructureResourcesSchema = z.object({
  apiVersion: z.string(),
  kind: z.literal('InfrastructureResources'),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  serial: z.int().optional().describe('Version of the Terraform state that knows of them; absent: there is none yet'),
  comparedSince: z.string().optional().describe('Since when the cloud differs, in UTC; absent: it does not'),
  omitted: z.int().describe('Resources that differ, too, which the comparison had no room to name'),
  resources: z.array(resource),
});

/** Answer of the subresource `resources`, without asking the cloud; holds no values, so no secrets. */
export type InfrastructureResources = z.output<typeof infrastructureResourcesSchema>;
/** `RESOURCE_HEALTHS` says what each health means. */
export type InfrastructureResource = InfrastructureResources['resources'][number];

/** The cloud resources that a Terraform state knows of, without any of their values. */
export const RESOURCES_SUBRESOURCE: SubresourceDefinition = {
  name: 'resources',
  verbs: ['get'],
  description: 'Every cloud resource by address, type and id, and how it stands; no values.',
  answers: { mediaType: 'application/json', schema: jsonSchema() },
};

function jsonSchema(): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(infrastructureResourcesSchema);
  return schema;
}
