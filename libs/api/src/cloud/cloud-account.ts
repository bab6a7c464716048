import { z } from 'zod';
import { statusBase } from '../kind/fields.js';
import { CLOUD_GROUP, V1ALPHA1 } from '../kind/groups.js';
import { defineKind, type ObjectOf, type SubresourceDefinition } from '../kind/kind.js';
import { cloudProvider } from './cloud-provider.js';
import { sweepReportJsonSchema, sweepSpec, sweepStatus } from './sweep.js';

/** What carries Crate's tags in the account and belongs to nobody. */
const SWEEP_SUBRESOURCE: SubresourceDefinition = {
  name: 'sweep',
  verbs: ['get', 'create'],
  description:
    'What carries tags of Crate in the account and belongs to nobody. `get` looks now and tells what would be done, without doing it; `create` has it done.',
  answers: { mediaType: 'application/json', schema: sweepReportJsonSchema },
};

/**
 * Of what AWS takes in paths, what it takes in names: the rest means something in Terraform.
 * Source: https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreatePolicy.html
 */
const POLICY_ARN = /^arn:aws[a-z-]*:iam::\d{12}:policy\/(?:[\w+=,.@-]+\/)*[\w+=,.@-]{1,128}$/;

/** Where cloud resources are created and who pays. Credentials go in, and never come out. */
export const CLOUD_ACCOUNT = defineKind({
  group: CLOUD_GROUP,
  version: V1ALPHA1,
  kind: 'CloudAccount',
  plural: 'cloudaccounts',
  shortNames: ['ca'],
  categories: ['crate'],
  namespaced: true,
  description: 'An account at a cloud provider, with the credentials to use it.',
  example: {
    provider: 'aws',
    accountId: '123456789012',
    credentials: { accessKeyId: '<access key id>', secretAccessKey: '<secret access key>' },
  },
  spec: z.strictObject({
    provider: cloudProvider.describe('Which cloud'),
    accountId: z
      .string()
      .regex(/^\d{12}$/, 'must be the 12-digit account number')
      .default('000000000000'),
    credentials: z
      .strictObject({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) })
      .optional()
      .describe('Write-only: stored encrypted, never shown again')
      .meta({ writeOnly: true }),
    permissionsBoundary: z
      .string()
      .max(2048)
      .regex(POLICY_ARN, 'must be the ARN of an IAM policy')
      .optional()
      .describe('ARN of the permissions boundary that the roles of machines are given: the most they may ever do'),
    sweep: sweepSpec.optional().describe('What is done about resources that nobody owns'),
    credentialsFingerprint: z.string().optional().describe('Set by the server: identifies the stored credentials'),
  }),
  secretsShownAs: 'credentialsFingerprint',
  status: statusBase.extend({
    credentialsFingerprint: z.string().optional().describe('The credentials that the provider accepted last'),
    sweep: sweepStatus.optional(),
  }),
  printerColumns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Account', type: 'string', jsonPath: '.spec.accountId' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    {
      name: 'Orphans',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="OrphanedResources")].status',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  subresources: [SWEEP_SUBRESOURCE],
});

/** As it is read: `credentials` are absent, and `credentialsFingerprint` says which are stored. */
export type CloudAccount = ObjectOf<typeof CLOUD_ACCOUNT>;
