import { readFileSync } from 'node:fs';
import { imagesOf, nextIssue, readIndex, writeIndex, type OfferedRelease } from './release-index.js';

/** What `npm run release -- index` takes besides the file, as `parseArgs` has it. */
export const INDEX_OPTIONS = {
  channel: { type: 'string' },
  'upgrade-from': { type: 'string' },
  'downgrade-to': { type: 'string' },
  security: { type: 'boolean' },
  summary: { type: 'string' },
  notes: { type: 'string' },
  images: { type: 'string' },
  renew: { type: 'boolean' },
} as const;

export interface IssueOptions {
  /** Private key as PEM. */
  readonly key: string;
  readonly version: string;
  readonly channel?: string | undefined;
  readonly 'upgrade-from'?: string | undefined;
  readonly 'downgrade-to'?: string | undefined;
  readonly security?: boolean | undefined;
  readonly summary?: string | undefined;
  readonly notes?: string | undefined;
  readonly images?: string | undefined;
  readonly renew?: boolean | undefined;
}

/** Issues the index in `file` once more, with this version or as it is. Gives a line about it; throws what is wrong. */
export function issueIndex(file: string | undefined, options: IssueOptions, now = new Date()): string {
  if (file === undefined) throw new Error('Which index? Its file comes behind the command: index releases.json');
  const before = readIndex(file);
  if (options.renew && !before) throw new Error(`${file} is not there, so it cannot be issued again`);
  const index = nextIssue(before, options.renew ? undefined : offered(options, now), now);
  writeIndex(file, index, options.key);
  const what = options.renew ? `${index.releases.length} releases` : options.version;
  return `${file} and ${file}.sig: ${what}, serial ${index.serial}, believed until ${index.expiresAt}`;
}

function offered(options: IssueOptions, now: Date): OfferedRelease {
  const { version, channel = 'stable', summary, notes, images } = options;
  const { 'upgrade-from': upgradeFrom, 'downgrade-to': downgradeTo } = options;
  return {
    version,
    // What is neither of the two, or no version, the index as a whole is refused for.
    channel: channel as OfferedRelease['channel'],
    releasedAt: now.toISOString(),
    ...(upgradeFrom === undefined ? {} : { upgradeFrom }),
    ...(downgradeTo === undefined ? {} : { downgradeTo }),
    ...(options.security ? { isSecurity: true } : {}),
    ...(summary === undefined ? {} : { summary }),
    ...(notes === undefined ? {} : { notes }),
    ...(images === undefined ? {} : { images: imagesOf(readFileSync(images, 'utf8'), version) }),
  };
}
