import { setTimeout as delay } from 'node:timers/promises';
import {
  CHECK_DRIFT_ANNOTATION,
  CLUSTER,
  driftReportSchema,
  driftSummary,
  driftText,
  RESOLVE_DRIFT_ANNOTATION,
  type Cluster,
  type DriftDecision,
  type DriftReport,
} from '@crate/api';
import { notFound, timeout } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { apiOf } from '../client/context.js';
import { overOutages } from '../client/passing.js';
import { apiFlags, type ApiOptions } from '../commands/api-options.js';
import { whileItGoesOn } from '../interruption.js';
import { formatDuration } from '../objects/duration.js';
import { printObject } from '../objects/object-output.js';
import { objectPath, subresourcePath } from '../objects/object-path.js';
import { printAs, type OutputFormat } from '../output/print.js';
import { waitUntil } from '../up/wait.js';

interface DriftOptions extends ApiOptions {
  readonly namespace: string;
  readonly output: OutputFormat;
}

interface CheckOptions extends DriftOptions {
  readonly timeout: number;
}

const LOOK_EVERY_MS = 1_000;

export async function runShow(name: string, options: DriftOptions): Promise<void> {
  print(await report(await apiOf(options), name, options), options);
}

export async function runCheck(name: string, options: CheckOptions): Promise<void> {
  const api = await apiOf(options);
  let before: string | undefined;
  const isSeen = async (): Promise<boolean> => {
    before = (await find(api, name, options))?.answered;
    return true;
  };
  await waitUntil(overOutages(isSeen), options.timeout);
  const asked = new Date().toISOString();
  await annotate(api, { name, ...options }, { [CHECK_DRIFT_ANNOTATION]: asked });
  const note = `The platform goes on with the comparison; see what it found with: crate drift show ${which(name, options)}`;
  print(await whileItGoesOn(note, async () => answerTo({ asked, before }, api, name, options)), options);
}

interface Asked {
  readonly asked: string;
  /** What was answered when it was asked: whoever asks for that anew, as by an old document, gets no comparison. */
  readonly before: string | undefined;
}

/** The report of the comparison that was asked for, once it is there. Throws Timeout. */
async function answerTo(
  { asked, before }: Asked,
  api: ApiClient,
  name: string,
  options: CheckOptions,
): Promise<DriftReport> {
  const until = performance.now() + options.timeout;
  let found: DriftReport | undefined;
  const isAnswered = overOutages(async () => {
    found = await find(api, name, options);
    if (found?.answered === asked) return true;
    // Whoever asks later writes over it, and the comparison that they get is later, too.
    const { annotations } = (await api.get<Cluster>(clusterPath(name, options))).metadata;
    const askedLater = annotations?.[CHECK_DRIFT_ANNOTATION];
    return askedLater !== undefined && askedLater !== before && found?.answered === askedLater;
  });
  while (!(await isAnswered()) || !found) {
    if (performance.now() > until)
      throw timeout(`No comparison within ${formatDuration(options.timeout)}: other work goes first`);
    await delay(LOOK_EVERY_MS);
  }
  return found;
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
  const decision = { [RESOLVE_DRIFT_ANNOTATION]: `${action}-${drift.digest}` };
  const decided = await annotate(api, { name, ...options }, decision);
  const verb = action === 'correct' ? 'Putting back' : 'Keeping';
  const count = drift.kept?.length ?? 0;
  const text =
    drift.resources.length > 0
      ? driftSummary(drift)
      : `${count} attribute${count === 1 ? ' that was' : 's that were'} kept`;
  printObject(options.output, decided, `${verb} what differs from what was applied to "${name}": ${text}`);
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
  { name, ...options }: DriftOptions & { readonly name: string },
  annotations: Readonly<Record<string, string>>,
): Promise<Cluster> {
  return api.merge<Cluster>(clusterPath(name, options), { metadata: { annotations } });
}

function clusterPath(name: string, { namespace }: DriftOptions): string {
  return objectPath({ kind: CLUSTER, name }, namespace);
}

/** Which cluster, in a line to copy. */
function which(name: string, options: DriftOptions): string {
  return `${name} -n ${options.namespace}${apiFlags(options)}`;
}

/** Here a command does what an annotation does elsewhere; on another platform it would decide about another cluster of that name. */
function print(found: DriftReport, options: DriftOptions): void {
  const cluster = which(found.metadata.name, options);
  printAs(options.output, found, () => [driftText(found, (deed) => `crate drift ${deed} ${cluster}`)]);
}
