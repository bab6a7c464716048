import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '@crate/errors';
import { isAbsence } from '../client/absence.js';
import type { ApiClient } from '../client/api-client.js';
import { whileItGoesOn } from '../interruption.js';
import type { Failures } from '../output/failures.js';
import { oneLine } from '../output/visible.js';
import { formatDuration } from './duration.js';
import { waitForAll, type Awaited } from './waiting.js';

/** Doubles from one try to the next. */
const FIRST_PAUSE_MS = 1_000;
/** What belongs to something goes in the moments after it. */
const FOLLOWS_WITHIN_MS = 15_000;

/** One object that is to be deleted. */
export interface Deletion {
  /** For people: `cluster/demo`. */
  readonly name: string;
  /** Asks for it; gives what to wait for, and undefined when there is nothing. */
  readonly remove: () => Promise<Awaited | undefined>;
}

interface Refused {
  readonly deletion: Deletion;
  readonly error: unknown;
}

interface Round {
  readonly going: readonly Awaited[];
  /** Because of others, which may be going. */
  readonly refused: readonly Refused[];
}

/**
 * Deletes all of them, and waits until they are gone; one that is refused while others need it, or are in it, is tried again once those that
 * go are gone, and a few times in the moments after. Throws Timeout.
 */
export async function deleteInTurn(
  api: ApiClient,
  deletions: readonly Deletion[],
  timeoutMs: number,
  failures: Failures,
): Promise<void> {
  const until = Date.now() + timeoutMs;
  let [left, againUntil, pauseMs] = [deletions, -Infinity, FIRST_PAUSE_MS];
  while (left.length > 0) {
    const { going, refused } = await tryEach(left, failures, left !== deletions);
    const againMs = againUntil - Date.now();
    const waiting = refused.map(({ deletion }) => deletion.name);
    if (going.length > 0) {
      for (const { deletion, error } of refused) tell(deletion, error);
      await waitUntilGone(api, going, { timeoutMs, leftMs: Math.max(until - Date.now(), 0), waiting });
      [againUntil, pauseMs] = [Math.min(Date.now() + FOLLOWS_WITHIN_MS, until), FIRST_PAUSE_MS];
    } else if (againMs > 0) {
      await delay(Math.min(pauseMs, againMs));
      pauseMs *= 2;
    } else {
      for (const { deletion, error } of refused) failures.add(deletion.name, error);
      return;
    }
    left = refused.map(({ deletion }) => deletion);
  }
}

async function tryEach(deletions: readonly Deletion[], failures: Failures, isAgain: boolean): Promise<Round> {
  const [going, refused]: [Awaited[], Refused[]] = [[], []];
  for (const deletion of deletions) {
    const gone = await failures.attempt(deletion.name, async () =>
      deletion.remove().catch((error: unknown) => {
        if (hasCode(error, 'Conflict')) refused.push({ deletion, error });
        // Somebody else may have deleted meanwhile what had to wait.
        else if (!isAgain || !isAbsence(error)) throw error;
        return undefined;
      }),
    );
    if (gone) going.push(gone);
  }
  return { going, refused };
}

function tell({ name }: Deletion, error: unknown): void {
  console.error(`${name} has to wait: ${oneLine((error as Error).message)}`);
}

/** The object with this uid, until there is none any more. */
export function goneOne(name: string, path: string, uid: string): Awaited {
  return {
    name,
    path,
    mayBeAbsent: true,
    done: `${name} is gone`,
    holds: (object) => object?.metadata.uid !== uid,
  };
}

/** Waits until they are gone. */
export async function untilGone(api: ApiClient, deleted: readonly Awaited[], timeoutMs: number): Promise<void> {
  if (deleted.length > 0) await waitUntilGone(api, deleted, { timeoutMs, leftMs: timeoutMs, waiting: [] });
}

interface Patience {
  /** In all, of which so much is left. */
  readonly timeoutMs: number;
  readonly leftMs: number;
  /** What nobody deletes once the waiting ends. */
  readonly waiting: readonly string[];
}

async function waitUntilGone(
  api: ApiClient,
  going: readonly Awaited[],
  { timeoutMs, leftMs, waiting }: Patience,
): Promise<void> {
  const late = `is not gone after ${formatDuration(timeoutMs)}`;
  const not = waiting.length === 0 ? '' : `, and ${waiting.join(', ')} stays`;
  const wait = async (): Promise<void> => waitForAll(api, going, { timeoutMs: leftMs, late });
  await whileItGoesOn(`The platform goes on deleting: only the waiting has ended${not}`, wait);
}
