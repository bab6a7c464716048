import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { aCluster, CLUSTERS, CONTEXT, localApi, refTo } from '../fixtures/local-api.js';
import { type ApiServerFixture, startApiServer } from '../fixtures/api-server.js';
import { Kubectl, kubectlBinaries } from '../fixtures/kubectl.js';
import type { Exchange } from './exchange.js';

const DEMO = refTo(CLUSTERS, 'demo');
const MANIFEST = JSON.stringify(aCluster('demo', { nodePools: undefined }));
const SCALED = JSON.stringify(aCluster('demo', { nodePools: [{ name: 'workers', replicas: 4 }] }));
const INVALID = JSON.stringify(aCluster('bad', { controlPlane: { replicas: 2 } }));
const UNKNOWN = JSON.stringify(aCluster('bad', { colour: 'red' }));
const CONFIG_MAP = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { a: '1' } });
const TIMEOUT_MS = 180_000;

/** Every version as it likes best, which is HTTP/2; the newest also where there is only HTTP/1.1. */
const CASES = [
  ...kubectlBinaries().map((binary) => ({ ...binary, http2: true })),
  ...kubectlBinaries()
    .slice(0, 1)
    .map((binary) => ({ ...binary, name: `${binary.name} over HTTP/1.1`, http2: false })),
];

for (const { name, path, absent, http2 } of CASES) {
  const suite = path === undefined ? describe.skip : describe;
  suite(`${name}${absent === undefined ? '' : ` (${absent})`}`, () => {
    let server: ApiServerFixture;
    let kubectl: Kubectl;
    let viewer: Kubectl;
    let protocols: Set<string>;
    beforeAll(async () => {
      const fixture = localApi();
      // As on Crate's own API, where a Project is a namespace.
      fixture.kinds.remove({ group: '', version: 'v1', plural: 'namespaces' });
      protocols = new Set();
      const onRequest = ({ request }: Exchange): void => void protocols.add(request.httpVersion);
      server = await startApiServer({ tls: true, http2, onRequest, fixture });
      kubectl = new Kubectl(path ?? '', server);
      viewer = new Kubectl(path ?? '', server, 'vera');
    });
    afterAll(async () => {
      kubectl.remove();
      viewer.remove();
      await server.close();
    });

    async function succeed(args: readonly string[], input?: string): Promise<string> {
      const { code, stdout, stderr } = await kubectl.run(args, input);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringMatching(/error/i) as unknown });
      return stdout;
    }

    async function setReady(status: 'True' | 'False'): Promise<void> {
      const condition = {
        type: 'Ready',
        status,
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      };
      const patch = { status: { conditions: [condition] } };
      await server.api.patch(DEMO, patch, { type: 'merge', subresource: 'status' }, CONTEXT);
    }

    it(
      'discovers',
      async () => {
        const resources = await succeed(['api-resources', '--api-group=lifecycle.crate.dev']);
        expect(resources).toMatch(/^clusters +cl +lifecycle.crate.dev\/v1alpha1 +true +Cluster$/m);
        expect(await succeed(['api-versions'])).toContain('lifecycle.crate.dev/v1alpha1\n');
        expect(await succeed(['version', '-o', 'json'])).toContain('v1.31.4');
        expect([...protocols]).toEqual([http2 ? '2.0' : '1.1']);
      },
      TIMEOUT_MS,
    );

    it(
      'applies, client side',
      async () => {
        expect(await succeed(['apply', '-f', '-'], MANIFEST)).toContain('demo created');
        expect(await succeed(['apply', '-f', '-'], MANIFEST)).toContain('demo unchanged');
        expect(await succeed(['apply', '-f', '-'], SCALED)).toContain('demo configured');
        expect(await succeed(['get', 'cl', 'demo', '-o', 'jsonpath={.spec.nodePools[0].replicas}'])).toBe('4');
      },
      TIMEOUT_MS,
    );

    it(
      'gets in every form',
      async () => {
        await setReady('False');
        expect(await succeed(['get', 'clusters'])).toMatch(
          /^NAME +READY +REASON +VERSION +NODES +REGION +PROGRESS +AGE\n/,
        );
        expect(await succeed(['get', 'clusters', '-o', 'wide'])).toContain('ENDPOINT');
        expect(await succeed(['get', 'clusters', '-A'])).toMatch(/^team-a +demo +False/m);
        expect(await succeed(['get', 'cluster', 'demo', '-o', 'yaml'])).toContain('kind: Cluster\n');
        expect(JSON.parse(await succeed(['get', 'clusters', '-o', 'json']))).toMatchObject({
          items: [{ kind: 'Cluster' }],
        });
        expect(await succeed(['get', 'crate', '-o', 'name'])).toBe('cluster.lifecycle.crate.dev/demo\n');
        expect(await succeed(['get', 'cl', '--field-selector', 'spec.region=nowhere', '-o', 'name'])).toBe('');
      },
      TIMEOUT_MS,
    );

    it(
      'watches',
      async () => {
        const watch = kubectl.start(['get', 'clusters', '--watch', '--label-columns=seen']);
        let seen = '';
        watch.stdout?.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk));
        while (!seen.includes('demo')) await once(watch.stdout ?? watch, 'data');
        await server.api.patch(DEMO, { metadata: { labels: { seen: 'yes' } } }, { type: 'merge' }, CONTEXT);
        while (!/^demo.* yes\n/m.test(seen)) await once(watch.stdout ?? watch, 'data');
        watch.kill('SIGTERM');
        await once(watch, 'exit');
        expect(seen).toMatch(/^NAME.*SEEN\ndemo.*\ndemo.* yes\n$/);
      },
      TIMEOUT_MS,
    );

    it(
      'waits for a condition',
      async () => {
        const waiting = succeed(['wait', 'cluster/demo', '--for=condition=Ready', '--timeout=90s']);
        await setReady('True');
        expect(await waiting).toContain('condition met');
      },
      TIMEOUT_MS,
    );

    it(
      'applies, server side, and tells who is in the way',
      async () => {
        const scale = { spec: { controlPlane: { replicas: 5 } } };
        await server.api.patch(DEMO, scale, { type: 'merge', fieldManager: 'scaler' }, CONTEXT);
        const wanted = JSON.stringify(aCluster('demo', { controlPlane: { replicas: 3 } }));
        const refused = await kubectl.run(['apply', '--server-side', '--field-manager=ci', '-f', '-'], wanted);
        expect(refused.code).toBe(1);
        expect(refused.stderr).toMatch(
          /conflict with "scaler" using lifecycle.crate.dev\/v1alpha1.*: .spec.controlPlane.replicas/,
        );
        const args = ['apply', '--server-side', '--field-manager=ci', '--force-conflicts', '-f', '-'];
        expect(await succeed(args, wanted)).toContain('serverside-applied');
        const before = await succeed(['get', 'cluster', 'demo', '-o', 'jsonpath={.metadata.resourceVersion}']);
        await succeed(args, wanted);
        expect(await succeed(['get', 'cluster', 'demo', '-o', 'jsonpath={.metadata.resourceVersion}'])).toBe(before);
      },
      TIMEOUT_MS,
    );

    it(
      'patches, labels and annotates',
      async () => {
        await succeed(['patch', 'cluster', 'demo', '--type=merge', '-p', '{"spec":{"paused":true}}']);
        await succeed(['patch', 'cluster', 'demo', '--type=json', '-p', '[{"op":"remove","path":"/spec/paused"}]']);
        await succeed(['label', 'cluster', 'demo', 'tier=test']);
        await succeed(['annotate', 'cluster', 'demo', 'note=any text']);
        expect(await succeed(['get', 'cl', '-l', 'tier=test', '-o', 'name'])).toContain('demo');
        const strategic = await kubectl.run(['patch', 'cluster', 'demo', '-p', '{"spec":{"paused":true}}']);
        expect(strategic.stderr).toContain('strategic-merge-patch');
      },
      TIMEOUT_MS,
    );

    it(
      'describes and explains',
      async () => {
        expect(await succeed(['describe', 'cluster', 'demo'])).toContain('Availability Zones:');
        const explained = await succeed(['explain', 'cluster.spec.controlPlane']);
        expect(explained).toMatch(/replicas\s+<integer>/);
        expect(explained).toContain('Number of control-plane machines');
        const byVersion2 = await succeed(['explain', '--output=plaintext-openapiv2', 'cluster.spec.controlPlane']);
        expect(byVersion2).toContain('Number of control-plane machines');
      },
      TIMEOUT_MS,
    );

    it(
      'reads subresources and paths raw',
      async () => {
        const path = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo/kubeconfig';
        expect(await succeed(['get', '--raw', path])).toContain('kind: Config');
        expect(await succeed(['get', '--raw', '/readyz'])).toBe('ok');
      },
      TIMEOUT_MS,
    );

    it(
      'asks what it may do',
      async () => {
        expect(await succeed(['auth', 'can-i', 'create', 'clusters'])).toBe('yes\n');
        expect((await viewer.run(['auth', 'can-i', 'create', 'clusters'])).stdout).toBe('no\n');
        expect((await viewer.run(['auth', 'can-i', '--list'])).stdout).toMatch(
          /clusters.lifecycle.crate.dev.*\[get list watch]/,
        );
      },
      TIMEOUT_MS,
    );

    it(
      'shows what is wrong',
      async () => {
        const invalid = await kubectl.run(['create', '-f', '-'], INVALID);
        expect(invalid.stderr).toMatch(
          /The Cluster "bad" is invalid: spec.controlPlane.replicas: Invalid value: 2: must be odd/,
        );
        const unknown = await kubectl.run(['create', '-f', '-'], UNKNOWN);
        expect(unknown.stderr).toMatch(/strict decoding error: unknown field "spec.colour"/);
        const forbidden = await viewer.run(['create', '-f', '-'], MANIFEST);
        expect(forbidden.stderr).toContain(
          'User "vera" cannot create resource "clusters" in API group "lifecycle.crate.dev"',
        );
        const absent = await kubectl.run(['get', 'cluster', 'absent']);
        expect(absent.stderr).toBe('Error from server (NotFound): clusters.lifecycle.crate.dev "absent" not found\n');
      },
      TIMEOUT_MS,
    );

    it(
      'deletes, and waits until it is gone',
      async () => {
        const held = { metadata: { finalizers: ['crate.dev/held'] } };
        await server.api.patch(DEMO, held, { type: 'merge' }, CONTEXT);
        await succeed(['delete', 'cluster', 'demo', '--wait=false']);
        const waiting = succeed(['wait', 'cluster/demo', '--for=delete', '--timeout=90s']);
        await server.api.patch(DEMO, { metadata: { finalizers: null } }, { type: 'merge' }, CONTEXT);
        await waiting;
        await succeed(['apply', '-f', '-'], CONFIG_MAP);
        expect(await succeed(['delete', 'configmap', 'm'])).toContain('deleted');
        expect(await succeed(['delete', 'clusters', '--all'])).toContain('No resources found');
      },
      TIMEOUT_MS,
    );
  });
}
