import { Command } from 'commander';
import { badRequest, PlatformError } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { formatDuration } from '../objects/duration.js';
import { listObjects } from '../objects/lists.js';
import { collectionPath, objectPathOf, ServedKinds } from '../objects/served-kinds.js';
import { targetsOf, type Target } from '../objects/targets.js';
import { parseWaitCondition, type WaitCondition } from '../objects/wait-condition.js';
import { waitForAll, type Awaited } from '../objects/waiting.js';
import {
  contextOf,
  withApiOptions,
  withNamespaceOption,
  type ApiOptions,
  type NamespaceOption,
} from './api-options.js';
import { durationOption } from './common-options.js';

const TIMEOUT = '30s';

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

/** `crate wait`: until objects are as they should be. */
export function waitCommand(): Command {
  return withApiOptions(
    withNamespaceOption(
      new Command('wait').description('Wait until objects are as they should be, and show how they come along'),
    ),
  )
    .argument('<what...>', 'TYPE/NAME…, TYPE NAME…, or TYPE with -l or --all')
    .requiredOption(
      '--for <what>',
      'condition=TYPE[=STATUS], delete, create or jsonpath={.path}[=VALUE]',
      parseWaitCondition,
    )
    .addOption(durationOption('--timeout <duration>', 'how long, such as 30s, 10m or 1h; 0 looks once', TIMEOUT))
    .option('-l, --selector <labels>', 'all with these labels')
    .option('--all', 'all of the kind')
    .addHelpText('after', '\nExit code 6: it did not come about in time.')
    .action(async (what: readonly string[], options: WaitOptions) => {
      const { api, namespace } = await contextOf(options);
      const targets = targetsOf(await ServedKinds.load(api), what);
      const named = await namedTargets(api, targets, { ...options, namespace });
      await waitForAll(api, await Promise.all(named.map(async (each) => awaited(api, each, options.for))), {
        timeoutMs: options.timeout,
        late: `${options.for.what} after ${formatDuration(options.timeout)}`,
      });
    });
}

/** The objects that targets mean; of kinds without names those that are selected. Throws BadRequest when it is not said. */
export async function namedTargets(
  api: ApiClient,
  targets: readonly Target[],
  { namespace, selector, all }: { readonly namespace: string; readonly selector?: string; readonly all?: true },
): Promise<readonly NamedTarget[]> {
  const isSelected = selector !== undefined || all === true;
  const found = targets.map(async ({ kind, name }) => {
    if (name !== undefined && isSelected) throw badRequest('Give names, or -l or --all, not both');
    if (name !== undefined) return [{ kind, name, namespace }];
    if (!isSelected) throw badRequest(`Say which ${kind.plural}: NAME, -l SELECTOR or --all`);
    const objects = await listObjects(api, kind, { namespace, selector });
    return objects.map(({ metadata }) => ({ kind, name: metadata.name, namespace }));
  });
  const named = (await Promise.all(found)).flat();
  if (named.length > 0) return named;
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
