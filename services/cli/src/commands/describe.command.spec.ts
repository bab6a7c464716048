import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forbidden, toStatus } from '@crate/errors';
import { FakeApi } from '../testing/fake-api.js';
import { outputOf, type Written } from '../testing/output-of.js';
import { CLUSTERS, clusterObject, discoveryAnswer } from '../testing/served.js';
import { describeCommand } from './describe.command.js';

const PROJECT = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Project', metadata: { name: 'team-a', uid: 'u' } };
const EVENT = { type: 'Normal', reason: 'Ready', message: 'It is there', lastTimestamp: '2026-11-21T10:00:00Z' };
const METADATA = { name: 'demo', namespace: 'team-a', uid: 'u-demo' };

let api: FakeApi;
let asked: string[];
/** The only Project whose events may be read. */
let readable: string;
let annotations: Readonly<Record<string, string>>;
let status: object;

beforeEach(async () => {
  [readable, annotations, status] = ['team-a', {}, {}];
  asked = [];
  api = await FakeApi.start((_method, path) => {
    asked.push(decodeURIComponent(path));
    if (path === `${CLUSTERS}/demo`)
      return { body: clusterObject('demo', { metadata: { ...METADATA, annotations }, status }) };
    if (path === '/apis/lifecycle.crate.dev/v1alpha1/projects/team-a') return { body: PROJECT };
    if (!path.startsWith('/api/v1')) return discoveryAnswer(path);
    if (path.startsWith(`/api/v1/namespaces/${readable}/events?`)) return { body: { metadata: {}, items: [EVENT] } };
    return { status: 403, body: toStatus(forbidden('events is forbidden')) };
  });
});
afterEach(async () => api.stop());

async function run(what: string): Promise<Written> {
  return outputOf(describeCommand(), [what, '-n', 'team-a', '--data-dir', api.dataDir]);
}

describe('crate describe', () => {
  it('shows an object with what happened to it', async () => {
    const { stdout, exitCode } = await run('cluster/demo');
    expect(stdout).toMatch(/^Name: +demo\nProject: +team-a\n/);
    expect(stdout).toContain('It is there');
    expect(exitCode).toBe(0);
  });

  it('asks for events of this very object, and none of one that had its name before', async () => {
    await run('cluster/demo');
    const fields = 'involvedObject.kind=Cluster,involvedObject.name=demo,involvedObject.uid=u-demo';
    expect(asked).toContain(`/api/v1/namespaces/team-a/events?fieldSelector=${fields}`);
  });

  it('shows nothing that its texts write over the terminal', async () => {
    annotations = { note: 'x\u001b[2A\nKind:           Project' };
    status = { failure: { code: 'No', message: 'no\nKind:           Project' } };
    const { stdout } = await run('cluster/demo');
    expect(stdout).toMatch(/^Now: +No: no Kind:/m);
    expect(stdout).toContain('note=x\\u001b[2A Kind:           Project\n');
    expect(stdout.match(/^Kind:/gm)).toHaveLength(1);
  });

  it('shows what has no Project to those who may not see its events, and why they are not there', async () => {
    const { stdout, stderr, exitCode } = await run('project/team-a');
    expect(stdout).toMatch(/^Name: +team-a\nKind: +Project/);
    expect(stdout).toContain('Events: events is forbidden');
    expect([stderr, exitCode]).toEqual(['', 0]);
  });

  it('looks for events of what has no Project where they are kept', async () => {
    readable = 'default';
    expect((await run('project/team-a')).stdout).toContain('It is there');
  });
});
