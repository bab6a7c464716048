import { z } from 'zod';
import { COMPONENT_CHANNELS } from '@crate/api';
import { duration } from '@crate/config';

const HOUR_MS = 3_600_000;

/** Where newer versions of the platform are known from. */
export const releasesConfig = z
  .object({
    index: z
      .string()
      .regex(/^(https:\/\/|\/)/, 'must be an https URL or an absolute path')
      .optional()
      .describe(
        'Index of releases, signed (`.sig` beside it): an https URL, or a file where nothing outside is reached; absent: nobody looks',
      ),
    publicKeyFiles: z.array(z.string()).default([]).describe('Public keys, one of which must have signed the index'),
    channel: z
      .enum(COMPONENT_CHANNELS)
      .default('stable')
      .describe('Which releases are told; candidate: also what is tried out'),
    everyMs: duration()
      .min(1_000)
      .default(6 * HOUR_MS)
      .describe('How often the index is read'),
  })
  .refine(({ index, publicKeyFiles }) => index === undefined || publicKeyFiles.length > 0, {
    path: ['publicKeyFiles'],
    message: 'must name a key when an index is named: an index that nobody signed is not believed',
  })
  .prefault({});

export type ReleasesConfig = z.output<typeof releasesConfig>;
