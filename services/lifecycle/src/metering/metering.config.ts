import { z } from 'zod';
import { duration } from '@crate/config';

/** What AWS Marketplace is told, where Crate was bought there. */
export const meteringConfig = z
  .object({
    productCode: z
      .string()
      .regex(/^[A-Za-z0-9]{0,64}$/, 'must be the letters and digits of a product code')
      .default('')
      .describe('Product code of the offer; empty: nothing is metered, and nobody is asked'),
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1')
      .default('us-east-1')
      .describe('Region that the platform runs in: where use is metered'),
    call: z
      .enum(['MeterUsage', 'RegisterUsage'])
      .default('MeterUsage')
      .describe('MeterUsage: clusters of each hour; RegisterUsage: that it runs, which AWS counts by itself'),
    dimension: z.string().min(1).max(255).default('clusters').describe('Dimension of the offer that clusters count in'),
    entitlements: z.boolean().default(false).describe('Whether the offer is a contract: what was bought is looked up'),
    roleArn: z
      .string()
      .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/\S+$/, 'must be the ARN of a role')
      .optional()
      .describe('Role that is taken with the token of the service account; absent: that of the machine'),
    tokenFile: z
      .string()
      .default('/var/run/secrets/eks.amazonaws.com/serviceaccount/token')
      .describe('Token of the service account, for the role'),
    everyMs: duration().min(1_000).default(300_000).describe('How often clusters are counted and open hours are sent'),
  })
  .prefault({});

export type MeteringConfig = z.output<typeof meteringConfig>;
