import { isJsonObject } from '@crate/api';
import { setTimeout as delay } from 'node:timers/promises';
import type { Manifest } from '@crate/api';
import { badRequest, hasCode, isPlatformError, PlatformError } from '@crate/errors';
import { NAMESPACE, StagedChart, type RenderedObject, type ReleaseSecrets } from '@crate/helm-chart';
import type { TargetCluster } from '@crate/kubernetes';
import { readYamlFile } from '../policy/yaml-files.js';
import { refusal } from './refusal.js';
import type { BootstrapRequest } from './request.js';
import { serverValues, volumeValues } from './servers/server-values.js';
import { releaseKeys, upgradeValues } from './upgrade-values.js';

/** Objects may refer to what the cluster makes by itself a moment later, such as the ServiceAccount of a namespace. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 500;
/** What the cluster makes by itself is there before that. */
const TOLD_AT = 3;
const NAMESPACE_OBJECT = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };

/** Of these nothing comes by waiting. Forbidden is not among them: a pod is that whose ServiceAccount is still to come. */
const HOPELESS = ['InvalidSpec', 'BadRequest', 'Unauthenticated'] as const;

type Say = (line: string) => void;
type Values = Readonly<Record<string, unknown>>;

/** All values of the release: those of its servers, its upgrades and its cloud, and over them those of the request. */
export async function valuesOf(request: BootstrapRequest, targetValues: Values): Promise<Values> {
  const own = [serverValues(request), volumeValues(request), upgradeValues(request), targetValues].reduce(merged);
  return merged(own, await readValues(request.valuesFile));
}

/** Throws Conflict (`ChartRefused`), with what Helm said. */
export async function renderChart(values: Values): Promise<readonly RenderedObject[]> {
  const chart = await StagedChart.make();
  try {
    return await chart.render(values);
  } catch (cause) {
    throw refusal({
      reason: 'ChartRefused',
      message: (cause as Error).message.trim(),
      remedy: 'Mend the values in --values, and run the command again',
      cause,
    });
  } finally {
    await chart.remove();
  }
}

/** Throws BadRequest for a file that is wanted late, and as `releaseKeys` does, while nothing is made yet. */
export async function checkFiles(request: BootstrapRequest): Promise<void> {
  await readValues(request.valuesFile);
  await furtherObjects(request);
}

/** What the chart needs, and does not have itself: in the order in which it is made. */
export async function furtherObjects(request: BootstrapRequest): Promise<readonly object[]> {
  return [...(await releaseKeys(request)), ...(await readObjects(request.objectsFile))];
}

async function readValues(file: string | undefined): Promise<Values> {
  if (file === undefined) return {};
  const [values = {}, ...more] = (await readYamlFile(file)).documents;
  if (more.length === 0 && isJsonObject(values)) return values;
  throw badRequest(`${file} has no values of a chart: write one mapping`);
}

/** What `kubectl apply --server-side` does, secrets first and never among values. Idempotent. */
export async function applyRelease(
  cluster: TargetCluster,
  { secrets }: ReleaseSecrets,
  objects: readonly object[],
  say: Say,
): Promise<void> {
  await applyObjects(cluster, [...secrets, ...objects], say);
}

/** The namespace of the platform and what goes there, in this order. Idempotent. Throws what the cluster says of an object, with its name. */
export async function applyObjects(cluster: TargetCluster, objects: readonly object[], say: Say): Promise<void> {
  for (const object of [NAMESPACE_OBJECT, ...objects]) await applyPatiently(cluster, object as Manifest, say);
}

/** Objects of a file, in its order. */
export async function readObjects(file: string | undefined): Promise<readonly object[]> {
  if (file === undefined) return [];
  const { documents } = await readYamlFile(file);
  if (documents.every(isJsonObject)) return documents;
  throw badRequest(`${file} has a document that is no object of Kubernetes`);
}

async function applyPatiently(cluster: TargetCluster, object: Manifest, say: Say): Promise<void> {
  const name = `${object.kind} ${object.metadata.name}`;
  const giveUpAt = Date.now() + PATIENCE_MS;
  let told = '';
  for (let tries = 1; ; tries += 1) {
    try {
      await cluster.applyObject(object, { fieldManager: 'crate-bootstrap', force: true });
      return;
    } catch (error) {
      if (!isPlatformError(error)) throw error;
      if (hasCode(error, ...HOPELESS) || Date.now() > giveUpAt) throw named(name, error);
      if (tries >= TOLD_AT && told !== error.message) say(`Waiting for ${name}: ${(told = error.message)}`);
      await delay(PAUSE_MS);
    }
  }
}

/** A server does not always say which object it speaks of. */
function named(name: string, cause: PlatformError): PlatformError {
  const { code, message, retry, details } = cause;
  return new PlatformError(code, `${name}: ${message}`, { retry, details, cause });
}

/** Values over values, as Helm puts one file over another. */
function merged(under: Values, over: Values): Values {
  const result: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const before = result[name];
    result[name] = isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value;
  }
  return result;
}
