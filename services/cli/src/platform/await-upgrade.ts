import { setTimeout as delay } from 'node:timers/promises';
import type { Component } from '@crate/api';
import { hasCode, timeout } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { listComponents } from '../components/component-client.js';
import { inOrder } from '../components/component-rows.js';
import { formatDuration } from '../objects/duration.js';
import { ObjectProgress } from '../progress/object-progress.js';
import { endLine, isOver, outcomeOf, upgradeStage } from './upgrade-progress.js';

const LOOK_EVERY_MS = 1_000;

export interface AwaitedUpgrade {
  readonly to: string;
  readonly timeoutMs: number;
  readonly lookEveryMs?: number;
  readonly progress?: ObjectProgress;
}

/**
 * Shows how an upgrade comes along until nothing more will happen; the components then. The platform may be away meanwhile, for it
 * replaces itself. Throws Timeout that says where the first of those is that have not ended.
 */
export async function awaitUpgrade(
  api: Pick<ApiClient, 'get'>,
  options: AwaitedUpgrade,
): Promise<readonly Component[]> {
  const { to, timeoutMs, lookEveryMs = LOOK_EVERY_MS, progress = new ObjectProgress() } = options;
  const until = Date.now() + timeoutMs;
  try {
    for (;;) {
      const components = await look(api);
      for (const each of components ?? []) progress.show(each.metadata.name, upgradeStage(each, to));
      if (components && isOver(components, to)) return components;
      if (Date.now() >= until) throw late(components, options);
      await delay(lookEveryMs);
    }
  } finally {
    progress.close();
  }
}

/** Undefined while the platform does not answer. */
async function look(api: Pick<ApiClient, 'get'>): Promise<readonly Component[] | undefined> {
  try {
    return inOrder((await listComponents(api)).items);
  } catch (error) {
    if (hasCode(error, 'Unavailable', 'TooManyRequests', 'Timeout')) return undefined;
    throw error;
  }
}

function late(components: readonly Component[] | undefined, { to, timeoutMs }: AwaitedUpgrade): Error {
  const first = components?.find((each) => outcomeOf(each, to) === 'UnderWay');
  const where = first ? endLine(first, to) : 'the platform does not answer';
  return timeout(`Not all services have ${to} after ${formatDuration(timeoutMs)}: ${where}. See: crate components -w`);
}
