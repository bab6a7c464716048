import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import {
  CHECK_DRIFT_ANNOTATION,
  CLUSTER,
  driftReportSchema,
  driftSummary,
  driftText,
  RESOLVE_DRIFT_ANNOTATION,
  type DriftDecision,
  type DriftReport,
} from '@crate/api';
import { notFound, timeout } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { apiOf, withApiOptions, type ApiOptions } from './api-options.js';
import { objectPath, subresourcePath } from './worked-object.js';
import { formatOption, printAs, type OutputFormat } from '../output/print.js';

interface DriftOptions extends ApiOptions {
  readonly namespace: string;
  readonly output: OutputFormat;
}

const LOOK_EVERY_MS = 1_000;
const SECOND_MS = 1_000;

/** `crate drift`: what was changed in the cloud behind the platform's back, and what is to become of it. */
export function driftCommand(): Command {
  return new Command('drift')
    .description('Compare a cluster with the cloud, and decide about what differs')
    .addCommand(showCommand(), { isDefault: true })
    .addCommand(checkCommand())
    .addCommand(decideCommand('correct', 'Put back everything that differs, also what was kept before'))
    .addCommand(decideCommand('keep', 'Leave what differs to whoever changed it, from now on'));
}

function showCommand(): Command {
  return onCluster('show', 'Show what the last comparison with the cloud found').action(
    async (name: string, options: DriftOptions) => {
      print(await report(await apiOf(options), name, options), options);
    },
  );
}

function checkCommand(): Command {
  return onCluster('check', 'Compare with the cloud now, and show what differs')
    .option('--timeout <seconds>', 'how long to wait for the comparison', toSeconds, 600)
    .action(async (name: string, options: DriftOptions & { timeout: number }) => {
      const api = await apiOf(options);
      const asked = new Date().toISOString();
      await annotate(api, { name, ...options }, { [CHECK_DRIFT_ANNOTATION]: asked });
      const until = Date.now() + options.timeout * SECOND_MS;
      let found = await find(api, name, options);
      while (found?.answered !== asked) {
        if (Date.now() > until) throw timeout(`No comparison within ${options.timeout} s: other work goes first`);
        await delay(LOOK_EVERY_MS);
        found = await find(api, name, options);
      }
      print(found, options);
    });
}

function decideCommand(action: DriftDecision['action'], description: string): Command {
  return onCluster(action, description).action(async (name: string, options: DriftOptions) => {
    const api = await apiOf(options);
    const { drift } = await report(api, name, options);
    if (!drift) throw notFound('drift', name, CLUSTER.group);
    await annotate(api, { name, ...options }, { [RESOLVE_DRIFT_ANNOTATION]: `${action}-${drift.digest}` });
    const verb = action === 'correct' ? 'Putting back' : 'Keeping';
    const count = drift.kept?.length ?? 0;
    const text =
      drift.resources.length > 0
        ? driftSummary(drift)
        : `${count} attribute${count === 1 ? ' that was' : 's that were'} kept`;
    console.log(`${verb} what differs from what was applied to "${name}": ${text}`);
  });
}

function onCluster(name: string, description: string): Command {
  return withApiOptions(new Command(name).description(description))
    .argument('<cluster>', 'name of the cluster')
    .requiredOption('-n, --namespace <project>', 'Project of the cluster')
    .addOption(formatOption('text'));
}

/** Throws NotFound for a cluster that there is not, or that was never built. */
async function report(api: ApiClient, name: string, { namespace }: DriftOptions): Promise<DriftReport> {
  return driftReportSchema.parse(await api.get(subresourcePath({ kind: CLUSTER, name }, namespace, 'drift')));
}

/** Undefined while there is none. */
async function find(api: ApiClient, name: string, { namespace }: DriftOptions): Promise<DriftReport | undefined> {
  const found = await api.find(subresourcePath({ kind: CLUSTER, name }, namespace, 'drift'));
  return found && driftReportSchema.parse(found);
}

async function annotate(
  api: ApiClient,
  { name, namespace }: DriftOptions & { readonly name: string },
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  await api.merge(objectPath({ kind: CLUSTER, name }, namespace), { metadata: { annotations } });
}

function print(found: DriftReport, { output }: DriftOptions): void {
  printAs(output, found, () => [driftText(found)]);
}

function toSeconds(value: string): number {
  const seconds = Number(value);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new InvalidArgumentError('Expected a number of seconds.');
  return seconds;
}
