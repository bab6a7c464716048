import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CHECK_DRIFT_ANNOTATION, RESOLVE_DRIFT_ANNOTATION, type DriftReport } from '@crate/api';
import { toStatus, unavailable } from '@crate/errors';
import { FakeApi, type FakeAnswer } from '../testing/fake-api.js';
import { outputOf } from '../testing/output-of.js';
import { CLUSTERS, clusterObject } from '../testing/served.js';
import { driftCommand } from './drift.command.js';

const DIGEST = '0123456789ab';
const REPORT: DriftReport = {
  apiVersion: 'lifecycle.crate.dev/v1alpha1',
  kind: 'DriftReport',
  metadata: { name: 'demo', namespace: 'team-a' },
  policy: 'observe',
  checkedAt: '2026-11-21T11:00:00Z',
  nextCheckAt: '2026-11-21T12:00:00Z',
  failures: 0,
};
const DRIFTED: DriftReport = {
  ...REPORT,
  drift: {
    since: '2026-11-21T11:00:00Z',
    digest: DIGEST,
    resources: [{ address: 'aws_vpc.vpc', type: 'aws_vpc', kind: 'missing', attributes: [] }],
    omitted: 0,
  },
};

let api: FakeApi;
let patches: { readonly path: string; readonly annotations: Record<string, string> }[];
/** What the cluster is asked for by then; undefined: nothing. */
let asked: () => string | undefined;
/** Whether the cluster is gone once it was asked for something. */
let isDeleted: boolean;
/** Answered to each request for the report, in turn; the last for ever. */
let reports: (() => FakeAnswer)[];

beforeEach(async () => {
  patches = [];
  isDeleted = false;
  asked = () => patches.at(-1)?.annotations[CHECK_DRIFT_ANNOTATION];
  api = await FakeApi.start((method, path, body) => {
    if (method === 'PATCH') {
      const { metadata } = body as { metadata: { annotations: Record<string, string> } };
      patches.push({ path, ...metadata });
      return { body: clusterObject('demo', { metadata }) };
    }
    if (path === `${CLUSTERS}/demo`) {
      if (isDeleted) return undefined;
      return { body: { metadata: { annotations: { [CHECK_DRIFT_ANNOTATION]: asked() } } } };
    }
    return (reports.length > 1 ? reports.shift() : reports[0])?.();
  });
});
afterEach(async () => api.stop());

const none = (): FakeAnswer => undefined;
const away = (): FakeAnswer => ({ status: 503, body: toStatus(unavailable('away')) });
const report = (body: DriftReport) => (): FakeAnswer => ({ body });
/** Of the comparison that was asked for last. */
const answer = (): FakeAnswer => ({ body: { ...DRIFTED, answered: asked() } });

async function run(...args: string[]): Promise<string> {
  return (await outputOf(driftCommand(), [...args, '-n', 'team-a', '--data-dir', api.dataDir])).stdout;
}

describe('crate drift', () => {
  it('shows what the last comparison found, and asks for none', async () => {
    reports = [report(DRIFTED)];
    const printed = await run('show', 'demo');
    expect(printed).toContain('aws_vpc.vpc is missing');
    const lines = printed.split('\n').map((line) => line.replace(/ +/g, ' '));
    expect(lines).toContain(`To put all of it back: crate drift correct demo -n team-a --data-dir ${api.dataDir}`);
    expect(lines).toContain(`To leave it as it is: crate drift keep demo -n team-a --data-dir ${api.dataDir}`);
    expect(JSON.parse(await run('show', 'demo', '-o', 'json'))).toEqual(DRIFTED);
    expect(patches).toEqual([]);
  });

  it('asks for a comparison, and shows the one that answers, over a moment in which the platform is away', async () => {
    reports = [away, none, away, report(REPORT), answer];
    expect(await run('check', 'demo')).toContain('aws_vpc.vpc is missing');
    const annotations = { [CHECK_DRIFT_ANNOTATION]: expect.any(String) };
    expect(patches).toEqual([{ path: `${CLUSTERS}/demo`, annotations }]);
  });

  it('shows the one that answers somebody who asked later', async () => {
    asked = () => 'later';
    reports = [report(REPORT), answer];
    expect(await run('check', 'demo')).toContain('aws_vpc.vpc is missing');
  });

  it('ends when the cluster is deleted meanwhile', async () => {
    isDeleted = true;
    reports = [none];
    await expect(run('check', 'demo')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('does not take an older comparison for the answer, whose question an old document asks again', async () => {
    asked = () => 'before';
    reports = [report({ ...DRIFTED, answered: 'before' })];
    await expect(run('check', 'demo', '--timeout', '0.01')).rejects.toMatchObject({ code: 'Timeout' });
  });

  it.each([
    { reason: 'is asked for', value: () => 'later' },
    { reason: 'nobody asks for any more', value: () => undefined },
  ])('gives up a comparison that does not come, and $reason', async ({ value }) => {
    asked = value;
    reports = [report(REPORT)];
    await expect(run('check', 'demo', '--timeout', '0.01')).rejects.toMatchObject({ code: 'Timeout' });
  });

  it.each([
    ['correct', 'Putting back'],
    ['keep', 'Keeping'],
  ])('decides to %s the drift that it shows', async (action, text) => {
    reports = [report(DRIFTED)];
    const printed = await run(action, 'demo');
    const annotations = { [RESOLVE_DRIFT_ANNOTATION]: `${action}-${DIGEST}` };
    expect(patches).toEqual([{ path: `${CLUSTERS}/demo`, annotations }]);
    expect(printed).toContain(`${text} what differs`);
    expect(printed).toContain('aws_vpc.vpc is missing');
  });

  it.each(['correct', 'keep'])('prints the cluster as data once it is decided to %s what differs', async (action) => {
    reports = [report(DRIFTED)];
    const metadata = { annotations: { [RESOLVE_DRIFT_ANNOTATION]: `${action}-${DIGEST}` } };
    expect(JSON.parse(await run(action, 'demo', '-o', 'json'))).toMatchObject({ kind: 'Cluster', metadata });
  });

  it('has nothing to decide where nothing differs', async () => {
    reports = [report(REPORT)];
    await expect(run('correct', 'demo')).rejects.toMatchObject({ code: 'NotFound' });
    expect(patches).toEqual([]);
  });
});
