import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BootstrapDir } from '../bootstrap/bootstrap-dir.js';
import { confirmName } from '../bootstrap/confirm-name.js';
import { writeDurably } from '../bootstrap/durable-file.js';
import { Journal } from '../bootstrap/journal.js';
import { whileItGoesOn } from '../interruption.js';
import { onlyOne } from '../lock/only-one.js';
import { openScope } from '../bootstrap/open-scope.js';
import { renewDatabaseUrl } from '../bootstrap/platform-database-url.js';
import { refusal } from '../bootstrap/refusal.js';
import { removalRequest, type RemovalOptions } from '../bootstrap/removal-request.js';
import { REMOVE_STEPS } from '../bootstrap/remove-steps.js';
import { runSteps } from '../bootstrap/run-steps.js';

interface RemoveOptions extends RemovalOptions {
  readonly data: string;
  readonly kubeconfig?: string;
  readonly withClusters?: true;
  readonly confirm?: string;
  readonly result?: string;
}

const say = (line: string): void => console.log(line);

export async function runRemove(options: RemoveOptions): Promise<void> {
  const dir = new BootstrapDir(options.data);
  const { request: asInstalled } = await installed(dir);
  await confirmName(asInstalled.name, options.confirm, options.withClusters ?? false);
  await onlyOne(dir.lock(), async () => {
    const begun = await Journal.find(dir.removalJournal());
    const request = removalRequest(begun?.request ?? asInstalled, options);
    await renewDatabaseUrl(dir, request.databaseUrlFile, options.databaseUrlFile !== undefined);
    const journal = await Journal.open(dir.removalJournal(), request);
    const scope = {
      ...openScope({ request, dir, direction: 'removal', say }),
      ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
      withClusters: options.withClusters ?? false,
    };
    const hasWorked = await whileItGoesOn('Run the command again and it goes on', async () =>
      runSteps({ steps: REMOVE_STEPS, scope, journal, say }),
    );
    say(hasWorked ? `Removed. The proof: ${dir.proof()}` : 'It is removed already; nothing was changed');
    if (options.result !== undefined) await writeDurably(resolve(options.result), await readFile(dir.proof(), 'utf8'));
  });
}

/** Throws Conflict (`NotInstalled`) unless the platform in the cluster took over: before that, and only then, a rollback takes everything away. */
async function installed(dir: BootstrapDir): Promise<Journal> {
  const journal = await Journal.find(dir.journal());
  if (journal?.has('pivot')) return journal;
  throw refusal({
    reason: 'NotInstalled',
    message: `${dir.root} is not the directory of a platform that has taken over`,
    remedy:
      'Give the directory of "crate bootstrap" with --data; what was interrupted before "pivot" is taken away by its --rollback',
  });
}
