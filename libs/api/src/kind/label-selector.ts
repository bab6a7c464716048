import { z } from 'zod';

/** Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/label-selector/ */
export const labelSelector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).optional().describe('Labels with these values'),
  matchExpressions: z
    .array(
      z.strictObject({
        key: z.string().min(1),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: z.array(z.string()).optional(),
      }),
    )
    .optional()
    .describe('Further requirements; all must be met'),
});

/** Both parts must be met, each in all it says; an empty selector selects everything. */
export type LabelSelector = z.output<typeof labelSelector>;
