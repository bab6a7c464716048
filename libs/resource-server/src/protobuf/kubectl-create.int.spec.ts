import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withoutNulls } from '../apply/json.js';
import { type ApiServerFixture, startApiServer } from '../fixtures/api-server.js';
import { coreKind } from '../fixtures/kinds.js';
import { Kubectl, kubectlBinaries } from '../fixtures/kubectl.js';
import { localApi } from '../fixtures/local-api.js';

const BINARY = kubectlBinaries().find(({ name }) => name === 'kubectl 1.33');
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', hasStatus: false };
const KINDS = [
  coreKind({ group: '', version: 'v1', kind: 'Secret', plural: 'secrets', hasStatus: false }),
  coreKind({ group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', hasStatus: false }),
  coreKind({ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' }),
  coreKind({ group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs' }),
  coreKind({ group: 'batch', version: 'v1', kind: 'CronJob', plural: 'cronjobs' }),
  coreKind({ ...rbac, kind: 'Role', plural: 'roles' }),
  coreKind({ ...rbac, kind: 'RoleBinding', plural: 'rolebindings' }),
  coreKind({ ...rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', namespaced: false }),
];

const suite = BINARY?.path === undefined ? describe.skip : describe;
suite(`kubectl create${BINARY?.absent === undefined ? '' : ` (${BINARY.absent})`}`, () => {
  let server: ApiServerFixture;
  let kubectl: Kubectl;
  beforeAll(async () => {
    server = await startApiServer({ tls: true, fixture: localApi(...KINDS) });
    kubectl = new Kubectl(BINARY?.path ?? '', server);
  });
  afterAll(async () => {
    kubectl.remove();
    await server.close();
  });

  it.each([
    ['namespace', 'x'],
    ['configmap', 'x', '--from-literal=a=1', '--from-literal=b='],
    ['secret', 'generic', 'x', '--from-literal=a=1'],
    ['secret', 'docker-registry', 'y', '--docker-username=u', '--docker-password=p', '--docker-server=s'],
    ['serviceaccount', 'x'],
    ['deployment', 'x', '--image=nginx:1', '--replicas=3', '--port=80'],
    ['deployment', 'zero', '--image=nginx:1', '--replicas=0', '--', 'sleep', '1'],
    ['service', 'clusterip', 'x', '--tcp=80:8080', '--tcp=53'],
    ['service', 'nodeport', 'y', '--tcp=80:8080', '--node-port=30080'],
    ['service', 'externalname', 'z', '--external-name=example.com'],
    ['job', 'x', '--image=busybox', '--', 'date'],
    ['cronjob', 'x', '--image=busybox', '--schedule=*/5 * * * *', '--', 'date'],
    ['quota', 'x', '--hard=cpu=1,memory=1Gi'],
    ['role', 'x', '--verb=get,list', '--resource=pods', '--resource-name=a'],
    ['clusterrole', 'x', '--verb=get', '--non-resource-url=/metrics'],
    ['rolebinding', 'x', '--role=x', '--user=u', '--serviceaccount=a:b'],
    ['clusterrolebinding', 'x', '--clusterrole=x', '--group=g'],
  ])('%s %s', async (...args) => {
    const planned = await kubectl.run(['create', '--dry-run=client', '-o', 'json', ...args]);
    const created = await kubectl.run(['create', '-o', 'json', ...args]);
    expect(created.stderr).toBe('');
    expect(essence(created.stdout)).toEqual(essence(planned.stdout));
  });
});

/** What a person stated: without what the server adds and what says nothing. */
function essence(json: string): unknown {
  const { metadata, status: _status, ...body } = JSON.parse(json) as Record<string, unknown>;
  const { name, labels } = metadata as Record<string, unknown>;
  const blank = (_key: string, value: unknown): unknown => (JSON.stringify(value) === '{}' ? undefined : value);
  return JSON.parse(JSON.stringify(withoutNulls({ ...body, metadata: { name, labels } }), blank));
}
