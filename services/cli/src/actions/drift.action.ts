import { setTimeout as delay } from 'node:timers/promises';
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
import { apiOf } from '../client/context.js';
import { apiFlags, type ApiOptions } from '../commands/api-options.js';
import { formatDuration } from '../objects/duration.js';
import { objectPath, subresourcePath } from '../objects/object-path.js';
import { printAs, type OutputFormat } from '../output/print.js';

interface DriftOptions extends ApiOptions {
  readonly namespace: string;
  readonly output: OutputFormat;
}

const LOOK_EVERY_MS = 1_000;

export async function runShow(name: string, options: DriftOptions): Promise<void> {
  print(await report(await apiOf(options), name, options), options);
}

export async function runCheck(name: string, options: DriftOptions & { timeout: number }): Promise<void> {
  const api = await apiOf(options);
  const asked = new Date().toISOString();
  await annotate(api, { name, ...options }, { [CHECK_DRIFT_ANNOTATION]: asked });
  const until = Date.now() + options.timeout;
  let found = await find(api, name, options);
  while (found?.answered !== asked) {
    if (Date.now() > until)
      throw timeout(`No comparison within ${formatDuration(options.timeout)}: other work goes first`);
    await delay(LOOK_EVERY_MS);
    found = await find(api, name, options);
  }
  print(found, options);
}

/** Has everything put back that differs. */
export async function runCorrect(name: string, options: DriftOptions): Promise<void> {
  await decide('correct', name, options);
}

/** Leaves what differs to whoever changed it. */
export async function runKeep(name: string, options: DriftOptions): Promise<void> {
  await decide('keep', name, options);
}

async function decide(action: DriftDecision['action'], name: string, options: DriftOptions): Promise<void> {
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

/** Here a command does what an annotation does elsewhere; on another platform it would decide about another cluster of that name. */
function print(found: DriftReport, options: DriftOptions): void {
  const which = `${found.metadata.name} -n ${options.namespace}${apiFlags(options)}`;
  printAs(options.output, found, () => [driftText(found, (deed) => `crate drift ${deed} ${which}`)]);
}
