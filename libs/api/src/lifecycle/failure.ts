import { z } from 'zod';

export const failureSchema = z.object({
  code: z.string().describe('Stable reason code, such as QuotaExceeded'),
  message: z.string(),
  field: z.string().optional().describe('JSON path of the input that caused it'),
  remedy: z.string().optional().describe('What to do next'),
  retryable: z.boolean(),
  traceId: z.string().optional(),
});

/** What went wrong, for the person who asked. */
export type Failure = z.output<typeof failureSchema>;
