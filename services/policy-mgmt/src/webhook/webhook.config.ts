import { z } from 'zod';

/** Where API servers of clusters ask; without a certificate nobody listens. */
export const webhookConfig = z
  .object({
    certificateFile: z.string().describe('PEM certificate that API servers are shown; replaced files are read again'),
    keyFile: z.string().describe('PEM key of the certificate'),
    clientCaFile: z
      .string()
      .optional()
      .describe('PEM authorities; only who shows a certificate of one of them is answered. Absent: everybody'),
    host: z.string().default('0.0.0.0').describe('Address to listen at'),
    port: z.int().min(0).max(65_535).default(8443).describe('Port to listen at; 0 takes a free one'),
  })
  .optional();

export type WebhookConfig = NonNullable<z.output<typeof webhookConfig>>;
