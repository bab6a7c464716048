import { toPlatformError, type PlatformError } from '@crate/errors';
import type { OwnedResource } from '@crate/infra-aws';
import { someAtATime } from '@crate/reconcile';
import type { ListingOptions } from '../provider/cloud-provider.js';
import { GLOBAL, type ListedResource, type UnansweredPlace } from './sweep-world.js';

/** Each has its own limits of calls; somebody may wait for the answer. */
const REGIONS_AT_A_TIME = 4;

/** What a look at all regions came to. */
export interface SweepListing {
  readonly listed: readonly ListedResource[];
  readonly unanswered: readonly UnansweredPlace[];
}

type Answer = { readonly region: string } & (
  { readonly found: readonly OwnedResource[] } | { readonly error: unknown }
);

/**
 * Lists region by region, and what is global once. A region that does not answer, such as one that was closed since, takes nothing from
 * the others. Throws what `ask` throws when no region answers, or once `signal` fires.
 */
export async function listRegions(
  regions: readonly string[],
  signal: AbortSignal,
  ask: (region: string, options: ListingOptions) => Promise<readonly OwnedResource[]>,
): Promise<SweepListing> {
  const answerOf = async (region: string, regionalOnly: boolean): Promise<Answer> => {
    try {
      return { region, found: await ask(region, { regionalOnly }) };
    } catch (error) {
      if (signal.aborted) throw error;
      return { region, error };
    }
  };
  const answers = await someAtATime(regions, REGIONS_AT_A_TIME, (region, index) => answerOf(region, index > 0));
  const [first] = answers;
  if (!first || 'found' in first) return listingOf(answers, []);
  const other = answers.find((answer) => 'found' in answer);
  if (!other) throw first.error;
  // The first one was to tell of what is global.
  return listingOf(answers, [await answerOf(other.region, false)]);
}

function listingOf(regional: readonly Answer[], global: readonly Answer[]): SweepListing {
  const listed = [...regional, ...global].flatMap((answer) =>
    'found' in answer ? answer.found.map((one) => ({ ...one, region: placeOf(one.type, answer.region) })) : [],
  );
  const places = [...regional, ...global.map((answer) => ({ ...answer, region: GLOBAL }))];
  const silent = places.flatMap((answer) =>
    'error' in answer ? [unanswered(answer.region, toPlatformError(answer.error))] : [],
  );
  return { listed, unanswered: silent };
}

function unanswered(place: string, { code, message }: PlatformError): UnansweredPlace {
  return { place, message, isRefused: code === 'Forbidden' };
}

/** IAM has no regions: every region lists the same. */
function placeOf(type: string, region: string): string {
  return type.startsWith('aws_iam_') ? GLOBAL : region;
}
