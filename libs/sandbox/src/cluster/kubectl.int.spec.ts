import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@crate/testing';
import { writeLocalImages } from './containers/image-catalog.js';
import { forwarded } from './testing/forwarded.js';
import { webImage } from './testing/web-program.js';
import { buildSandbox, TestBench } from './testing/test-bench.js';
import { aConfigMap, aDeployment, aService, inNamespace } from './testing/manifests.js';

jest.setTimeout(120_000);

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
};
const WIDGET = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'big' }, spec: { size: 3 } };

describe('kubectl against a simulated cluster', () => {
  let bench: TestBench;
  beforeAll(async () => {
    await buildSandbox();
    bench = await TestBench.start();
    await bench.up();
  });
  afterAll(() => bench.stop());

  const kubectl = (args: string, input?: unknown): Promise<string> => bench.kubectlSucceeds(args.split(' '), input);

  async function namespace(name: string): Promise<string> {
    await kubectl(`create namespace ${name}`);
    await eventually(() => kubectl(`-n ${name} get serviceaccount default`));
    return name;
  }

  it('shows nodes with role, version, address and runtime', async () => {
    const nodes = await eventually(async () => {
      const shown = await kubectl('get nodes -o wide');
      expect(shown).not.toContain('NotReady');
      return shown;
    });

    expect(nodes).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE/);
    expect(nodes).toMatch(
      /^demo-control-plane-0 +Ready +controlplane,etcd +\w+ +v1\.31\.4 +10\.20\.1\.5 .*docker:\/\//m,
    );
    expect(nodes).toMatch(/^demo-workers-1 +Ready +worker +\w+ +v1\.31\.4 +10\.20\.2\.6/m);
    expect(await kubectl('version -o json')).toContain('"gitVersion": "v1.31.4"');
  });

  it('runs the components that the engine deploys', async () => {
    await kubectl('-n kube-system rollout status daemonset/canal --timeout=90s');
    await kubectl('-n kube-system rollout status deployment/coredns --timeout=90s');
    await kubectl('-n kube-system rollout status deployment/metrics-server --timeout=90s');

    expect(await kubectl('-n kube-system get pods')).toMatch(/^canal-\w+ +2\/2 +Running +0/m);
    expect(await kubectl('-n kube-system get service kube-dns')).toMatch(/10\.43\.0\.10 +<none> +53\/UDP,53\/TCP/);
  });

  it('applies a Deployment and a Service, and rolls them out', async () => {
    await namespace('web');
    for (const object of inNamespace('web', [aConfigMap(), aDeployment({ replicas: 3 }), aService()])) {
      await kubectl('apply -f -', object);
    }
    await kubectl('-n web rollout status deployment/web --timeout=90s');

    expect(await kubectl('-n web get deployment web')).toMatch(/^web +3\/3 +3 +3 /m);
    expect(await kubectl('-n web get endpoints web')).toMatch(/(\d+\.){3}\d+:80,(\d+\.){3}\d+:80,(\d+\.){3}\d+:80/);
    const nodesOfPods = await kubectl('-n web get pods -o jsonpath={.items[*].spec.nodeName}');
    expect(new Set(nodesOfPods.split(' '))).toEqual(new Set(['demo-workers-0', 'demo-workers-1']));
    expect(await kubectl('get --raw /api/v1/namespaces/web/services/http:web:80/proxy/')).toBe('<h1>Hello</h1>');

    const [, deployment] = inNamespace('web', [aConfigMap(), aDeployment({ replicas: 3 })]);
    expect(await kubectl('apply -f -', deployment)).toContain('unchanged');
  });

  it('changes images, scales, restarts and goes back', async () => {
    await namespace('rolling');
    for (const object of inNamespace('rolling', [aConfigMap(), aDeployment({ replicas: 2 })]))
      await kubectl('apply -f -', object);
    const settle = (): Promise<string> => kubectl('-n rolling rollout status deployment/web --timeout=90s');
    const images = (): Promise<string> =>
      kubectl('-n rolling get pods -o jsonpath={.items[*].spec.containers[0].image}');
    await settle();

    await kubectl('-n rolling set image deployment/web nginx=nginx:1.28');
    await settle();
    await eventually(async () => expect(await images()).toBe('nginx:1.28 nginx:1.28'));
    await kubectl('-n rolling rollout undo deployment/web');
    await settle();
    await eventually(async () => expect(await images()).toBe('nginx:1.27 nginx:1.27'));
    await kubectl('-n rolling scale deployment/web --replicas=4');
    await settle();
    await kubectl('-n rolling rollout restart deployment/web');
    await settle();

    await eventually(async () => expect((await images()).split(' ')).toHaveLength(4));
    expect(await kubectl('-n rolling rollout history deployment/web')).toMatch(/^4 +<none>/m);
  });

  it('applies server-side: conflicts are refused, the same again changes nothing', async () => {
    await namespace('ssa');
    const [configMap, deployment] = inNamespace('ssa', [aConfigMap(), aDeployment({ replicas: 1 })]);
    await kubectl('apply --server-side -f -', configMap);
    await kubectl('apply --server-side -f -', deployment);
    await kubectl('-n ssa rollout status deployment/web --timeout=90s');
    const version = (): Promise<string> => kubectl('-n ssa get deployment web -o jsonpath={.metadata.resourceVersion}');
    const before = await version();
    await kubectl('apply --server-side -f -', deployment);
    expect(await version()).toBe(before);

    await kubectl('-n ssa scale deployment/web --replicas=2');
    const { code, output } = await bench.kubectl(['apply', '--server-side', '-f', '-'], deployment);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('.spec.replicas') as unknown });
    await kubectl('apply --server-side --force-conflicts -f -', deployment);
  });

  it('serves custom objects while their definition exists', async () => {
    await namespace('custom');
    await kubectl('apply -f -', WIDGETS);
    await kubectl('wait --for=condition=Established crd/widgets.example.com --timeout=90s');
    await kubectl('-n custom apply -f -', WIDGET);

    expect(await kubectl('-n custom get wd')).toMatch(/^NAME +SIZE\nbig +3$/m);
    const bad = await bench.kubectl(['-n', 'custom', 'apply', '-f', '-'], { ...WIDGET, spec: { size: 'x' } });
    expect(bad.output).toContain('spec.size');

    await kubectl('delete crd widgets.example.com --timeout=90s');
    expect((await bench.kubectl(['-n', 'custom', 'get', 'wd'])).output).toMatch(
      /doesn't have a resource type|could not find/,
    );
  });

  it('empties a namespace before it goes, and takes nothing new in meanwhile', async () => {
    await namespace('leaving');
    for (const object of inNamespace('leaving', [aConfigMap(), aDeployment({ replicas: 2 }), aService()])) {
      await kubectl('apply -f -', object);
    }
    const held = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', finalizers: ['example.com/hold'] } };
    await kubectl('-n leaving create -f -', held);
    await kubectl('delete namespace leaving --wait=false');

    await eventually(async () => expect(await kubectl('-n leaving get all')).not.toContain('web'));
    expect(await kubectl('get namespace leaving')).toContain('Terminating');
    const refused = await bench.kubectl(['-n', 'leaving', 'create', 'configmap', 'late']);
    expect(refused.output).toContain('because it is being terminated');
    await bench.kubectl([
      '-n',
      'leaving',
      'patch',
      'configmap',
      'held',
      '--type=json',
      '-p',
      '[{"op":"remove","path":"/metadata/finalizers"}]',
    ]);
    await eventually(async () =>
      expect((await bench.kubectl(['get', 'namespace', 'leaving'])).output).toContain('NotFound'),
    );
  });

  it('runs jobs to completion and shows their logs', async () => {
    await namespace('batch');
    await kubectl('-n batch create job once --image=busybox:1.37 -- true');
    await kubectl('-n batch wait --for=condition=complete job/once --timeout=90s');

    expect(await kubectl('-n batch get pods')).toMatch(/^once-\w+ +0\/1 +Completed/m);
    expect(await kubectl('-n batch logs job/once')).toContain('simulated container of busybox:1.37');
  });

  describe('of a pod that is a process', () => {
    const GET = 'GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n';
    beforeAll(async () => {
      await writeLocalImages(bench.directory, { web: await webImage(bench.directory) });
      await namespace('forward');
      const here = { name: 'web', image: 'web:1', readinessProbe: { httpGet: { path: '/', port: 8080 } } };
      const elsewhere = { name: 'web', image: 'nginx:1' };
      await kubectl('-n forward apply -f -', aPod('web', here));
      await kubectl('-n forward apply -f -', aPod('simulated', elsewhere));
      await kubectl('-n forward expose pod web --port=80 --target-port=8080');
      await kubectl('-n forward wait --for=condition=Ready pod/web pod/simulated --timeout=90s');
    });

    it.each([{ pod: 'web' }, { service: 'web' }])('forwards ports to clients of %j', async (whom) => {
      const target = { namespace: 'forward', port: 8080, ...whom };
      expect((await forwarded(bench.directory, target, GET)).output).toContain('HTTP/1.1 200 OK');
    });

    it('says what is wrong with a port, and refuses pods that are none, and strangers', async () => {
      const pod = { namespace: 'forward', pod: 'web', port: 9 };
      expect((await forwarded(bench.directory, pod, GET)).errors).toContain('error forwarding port 9');
      const none = { namespace: 'forward', pod: 'simulated', port: 8080 };
      await expect(forwarded(bench.directory, none, GET)).rejects.toMatchObject({
        message: expect.stringContaining('400'),
      });
      const path = `https://127.0.0.1:${bench.port}/api/v1/namespaces/forward/pods/web/portforward?ports=8080`;
      expect(await statusWithToken(path, 'none', UPGRADE)).toBe(401);
      const token = (await kubectl('-n forward create token default')).trim();
      expect(await statusWithToken(path, token, UPGRADE)).toBe(403);
    });

    it('tells kubectl, which forwards over SPDY, that it does not', async () => {
      const { code, output } = await bench.kubectl(['-n', 'forward', 'port-forward', 'pod/web', ':8080']);
      expect(code).not.toBe(0);
      expect(output).toContain('v4.channel.k8s.io only');
    });
  });

  it('lets service accounts do what their roles allow', async () => {
    await namespace('accounts');
    await kubectl('-n accounts create serviceaccount ci');
    const token = (await kubectl('-n accounts create token ci')).trim();
    const pods = `https://127.0.0.1:${bench.port}/api/v1/namespaces/accounts/pods`;
    expect(await statusWithToken(pods, token)).toBe(403);
    await kubectl('-n accounts create rolebinding ci --clusterrole=view --serviceaccount=accounts:ci');
    await eventually(async () => expect(await statusWithToken(pods, token)).toBe(200));
    expect(await statusWithToken(pods, `${token.slice(0, -4)}AAAA`)).toBe(401);
    await kubectl('-n accounts delete serviceaccount ci');
    await eventually(async () => expect(await statusWithToken(pods, token)).toBe(401));
  });
});

const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': 'v4.channel.k8s.io' };

function aPod(name: string, container: object): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { name } }, spec: { containers: [container] } };
}

async function statusWithToken(
  url: string,
  token: string,
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, ...more };
    const call = request(url, { headers, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.once('error', reject).end();
  });
}
