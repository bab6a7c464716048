import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { CLUSTER, FORCE_ANNOTATION, type Blocker, type Cluster } from '@crate/api';
import { badRequest, timeout } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { objectPath } from './worked-object.js';

const LOOK_EVERY_MS = 2_000;
const SECOND_MS = 1_000;

interface DeleteOptions extends ApiOptions {
  readonly namespace: string;
  readonly force?: boolean;
  readonly reason?: string;
  readonly wait: boolean;
  readonly timeout: number;
}

/** `crate cluster`: what kubectl does not do in one step. */
export function clusterCommand(): Command {
  return new Command('cluster').description('Work on clusters').addCommand(deleteCommand());
}

function deleteCommand(): Command {
  return withApiOptions(new Command('delete'))
    .description('Delete a cluster, and say what is in the way until it is gone')
    .argument('<cluster>', 'name of the cluster')
    .requiredOption('-n, --namespace <project>', 'Project of the cluster')
    .option('--force', 'give up what blocks the deletion, and record it; for administrators of the Project')
    .option('--reason <text>', 'why, for the record of a forced deletion')
    .option('--no-wait', 'do not wait until the cluster is gone')
    .option('--timeout <seconds>', 'how long to wait', toSeconds, 3600)
    .action(async (name: string, options: DeleteOptions) => {
      const reason = reasonOf(options);
      const api = await apiOf(options);
      const path = objectPath({ kind: CLUSTER, name }, options.namespace);
      await api.remove(path);
      if (reason !== undefined) await api.merge(path, { metadata: { annotations: { [FORCE_ANNOTATION]: reason } } });
      console.log(`Cluster "${name}" is being deleted${reason === undefined ? '' : ', whatever blocks it'}`);
      if (options.wait) await follow(api, path, options.timeout);
    });
}

/** Undefined when nothing is forced. */
function reasonOf({ force, reason }: DeleteOptions): string | undefined {
  if (force !== true) {
    if (reason === undefined) return undefined;
    throw badRequest('--reason is for --force only');
  }
  if (reason !== undefined && reason.trim() !== '') return reason;
  throw badRequest('--force needs --reason: say why what is in the way may be left behind');
}

/** Prints what comes in the way, each once, until the cluster is gone. */
async function follow(api: ApiClient, path: string, timeoutSeconds: number): Promise<void> {
  const until = Date.now() + timeoutSeconds * SECOND_MS;
  const told = new Set<string>();
  for (;;) {
    const cluster = await api.find<Cluster>(path);
    if (!cluster) return console.log('Gone');
    for (const blocker of cluster.status?.deletion?.blockers ?? []) {
      const line = lineOf(blocker);
      if (!told.has(line)) console.log(line);
      told.add(line);
    }
    if (Date.now() > until) throw timeout(`The cluster is not gone after ${timeoutSeconds} s: see status.deletion`);
    await delay(LOOK_EVERY_MS);
  }
}

function lineOf({ kind, name, message, since, remedy }: Blocker): string {
  const what = `In the way since ${since}: ${kind} ${name}: ${message}`;
  return remedy === undefined ? what : `${what}\n  What to do: ${remedy}`;
}

function toSeconds(value: string): number {
  const seconds = Number(value);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new InvalidArgumentError('Expected a number of seconds.');
  return seconds;
}
