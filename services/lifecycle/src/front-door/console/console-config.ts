import { z } from 'zod';
import { age } from '@crate/config';

/** The operators' page and its sessions. */
export const consoleConfig = z
  .object({
    dir: z
      .string()
      .optional()
      .describe('Directory of the built console, with index.html and assets; absent: there is no console'),
    url: z
      .url({ protocol: /^https$/, error: 'must be an https:// URL' })
      .optional()
      .describe('Where browsers reach the API, for issuers to send them back to; default: as the browser says'),
    sessionMs: age()
      .min(60_000)
      .default(12 * 3_600_000)
      .describe('Longest session in the console; after it people sign in again, however fresh their token is'),
  })
  .prefault({});

export type ConsoleConfig = z.output<typeof consoleConfig>;
