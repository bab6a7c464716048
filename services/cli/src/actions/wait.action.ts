import { badRequest, PlatformError } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { formatDuration } from '../objects/duration.js';
import { listObjects } from '../objects/lists.js';
import { collectionPath, objectPathOf, ServedKinds } from '../objects/served-kinds.js';
import { targetsOf, type Target } from '../objects/targets.js';
import type { WaitCondition } from '../objects/wait-condition.js';
import { waitForAll, type Awaited } from '../objects/waiting.js';
import { whileItGoesOn } from '../interruption.js';
import { contextOf } from '../client/context.js';
import type { ApiOptions, NamespaceOption } from '../commands/api-options.js';

interface WaitOptions extends ApiOptions, NamespaceOption {
  readonly for: WaitCondition;
  readonly timeout: number;
  readonly selector?: string;
  readonly all?: true;
}

/** Objects that a command means, by name. */
export interface NamedTarget {
  readonly kind: Target['kind'];
  readonly name: string;
  readonly namespace: string;
}

/** Which objects are meant where a target names none. */
interface Selected {
  readonly namespace: string;
  readonly selector?: string;
  readonly all?: true;
  /** That nothing matches is fine. */
  readonly mayBeNone?: true | undefined;
}

export async function runWait(what: readonly string[], options: WaitOptions): Promise<void> {
  const { api, namespace } = await contextOf(options);
  const targets = targetsOf(await ServedKinds.load(api), what);
  const named = await namedTargets(api, targets, { ...options, namespace });
  const all = await Promise.all(named.map(async (each) => awaited(api, each, options.for)));
  const late = `${options.for.what} after ${formatDuration(options.timeout)}`;
  const wait = async (): Promise<void> => waitForAll(api, all, { timeoutMs: options.timeout, late });
  await whileItGoesOn('The platform goes on with it: only the waiting has ended', wait);
}

/** The objects that targets mean; of kinds without names those that are selected. Throws BadRequest when it is not said. */
export async function namedTargets(
  api: ApiClient,
  targets: readonly Target[],
  { namespace, selector, all, mayBeNone }: Selected,
): Promise<readonly NamedTarget[]> {
  // To the API an empty one is one that selects all.
  if (selector?.trim() === '') throw badRequest('-l is empty: it would select all of them');
  const isSelected = selector !== undefined || all === true;
  const found = targets.map(async ({ kind, name }) => {
    if (name !== undefined && isSelected) throw badRequest('Give names, or -l or --all, not both');
    if (name !== undefined) return [{ kind, name, namespace }];
    if (!isSelected) throw badRequest(`Say which ${kind.plural}: NAME, -l SELECTOR or --all`);
    const objects = await listObjects(api, kind, { namespace, selector });
    return objects.map(({ metadata }) => ({ kind, name: metadata.name, namespace }));
  });
  const named = (await Promise.all(found)).flat();
  if (named.length > 0 || mayBeNone) return named;
  throw new PlatformError(
    'NotFound',
    `Nothing matches in ${targets.map(({ kind }) => collectionPath(kind, namespace)).join(', ')}`,
  );
}

async function awaited(
  api: ApiClient,
  { kind, name, namespace }: NamedTarget,
  condition: WaitCondition,
): Promise<Awaited> {
  const path = objectPathOf(kind, name, namespace);
  const named = `${kind.singular}/${name}`;
  const { mayBeAbsent, done, holds, explain } = condition;
  const before = done === 'is gone' ? (await api.find(path))?.metadata.uid : undefined;
  return {
    name: named,
    path,
    mayBeAbsent,
    done: `${named} ${done}`,
    ...(explain ? { explain } : {}),
    // Another one of the same name is another one.
    holds: (object) => holds(before !== undefined && object?.metadata.uid !== before ? undefined : object),
  };
}
