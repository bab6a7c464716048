import { describe, expect, it } from '@jest/globals';
import { CLUSTER, type Cluster } from '@crate/api';
import { NAMESPACE } from '@crate/helm-chart';
import { InMemoryTargetCluster } from '@crate/kubernetes';
import { AwsTarget } from './aws-target.js';
import { accountDocument, clusterDocument } from './platform-documents.js';
import type { BootstrapRequest } from './request.js';
import { SandboxTarget } from './sandbox-target.js';
import type { ApiPlace } from './target.js';

const REQUEST: BootstrapRequest = {
  ...({ cloud: 'aws', name: 'platform', region: 'eu-central-1', account: '123456789012' } as const),
  ...{ managementNetworks: ['198.51.100.7/32', '203.0.113.0/24'], rke: '/usr/bin/rke', hosts: [] },
  ...{ kubernetesVersion: 'v1.32.4', controlPlane: 3, nodes: 3, machineType: 'm5.xlarge' },
  ...{ timeoutMs: 1_000, drainTimeoutMs: 1_000, permissionsBoundary: 'arn:aws:iam::123456789012:policy/bound' },
  databaseUrlFile: '/db.url',
};
const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

describe('AwsTarget', () => {
  it.each([
    { reason: 'CredentialsMissing', request: REQUEST, key: undefined },
    { reason: 'CredentialsTemporary', request: REQUEST, key: { ...KEY, accessKeyId: 'ASIAEXAMPLE' } },
    { reason: 'RkeMissing', request: { ...REQUEST, rke: undefined }, key: KEY },
    { reason: 'NetworksMissing', request: { ...REQUEST, managementNetworks: [] }, key: KEY },
  ])('says $reason before anything is made', async ({ reason, request, key }) => {
    const checked = new AwsTarget(request as BootstrapRequest, key).check();
    await expect(checked).rejects.toMatchObject({
      details: { reason },
      message: expect.stringMatching(`^${reason}: `),
    });
  });

  it('takes a PostgreSQL in the cluster, which comes with what makes volumes', async () => {
    const { databaseUrlFile: _own, ...bundled } = REQUEST;
    await expect(new AwsTarget(bundled as BootstrapRequest, KEY).check()).resolves.toBeUndefined();
  });

  it('lets the same networks in to the clusters of both platforms, and to the API', async () => {
    const target = new AwsTarget(REQUEST, KEY);
    await target.check();
    const networks = '198.51.100.7/32,203.0.113.0/24';
    expect(target.serviceSettings).toMatchObject({
      CRATE_MANAGEMENT_CIDRS: networks,
      CRATE_RKE_BINARY: '/usr/bin/rke',
    });
    expect(target.chartValues([])).toMatchObject({
      service: { type: 'NodePort', loadBalancerSourceRanges: REQUEST.managementNetworks },
      cloudMgmt: { managementCidrs: REQUEST.managementNetworks },
    });
  });

  it('lets in the platform itself to all clusters, by where its own cluster comes from, but not to the API', () => {
    const values = new AwsTarget(REQUEST, KEY).chartValues(['192.0.2.1', '192.0.2.2', '198.51.100.7']);
    expect(values).toMatchObject({
      service: { loadBalancerSourceRanges: REQUEST.managementNetworks },
      cloudMgmt: { managementCidrs: ['198.51.100.7/32', '203.0.113.0/24', '192.0.2.1/32', '192.0.2.2/32'] },
    });
  });

  it('has both platforms tell AWS Marketplace what is used, by a role that the workers of their cluster get for it', () => {
    const target = new AwsTarget({ ...REQUEST, marketplaceProductCode: 'abc123' }, KEY);
    const told = { CRATE_MARKETPLACE_PRODUCT_CODE: 'abc123', CRATE_MARKETPLACE_REGION: 'eu-central-1' };
    const metered = { CRATE_METERED_CLUSTER: 'crate-platform/platform' };
    expect(target.serviceSettings).toMatchObject({ ...told, ...metered });
    expect(target.chartValues([])).toMatchObject({ lifecycle: { env: told }, cloudMgmt: { env: metered } });
  });

  it('has nobody told where nothing was bought', () => {
    const target = new AwsTarget(REQUEST, KEY);
    expect(JSON.stringify([target.serviceSettings, target.chartValues([])])).not.toMatch(/MARKETPLACE|METERED/);
  });

  it('has the load balancer of the cluster lead to the port of nodes that the Service of the API is given', async () => {
    const target = new AwsTarget(REQUEST, KEY);
    const { service } = target.chartValues([]) as { readonly service: { readonly nodePort: number } };
    const network = { loadBalancerPorts: [{ port: 443, nodePort: service.nodePort }] };
    expect(clusterDocument(REQUEST, target).spec).toMatchObject({ network });
    const body = CLUSTER.body.parse({ spec: clusterDocument(REQUEST, target).spec }) as Cluster;
    expect(body.spec.network).toMatchObject({ ...network, vpcCidr: '10.20.0.0/16' });
  });

  describe('finds the API', () => {
    const target = new AwsTarget(REQUEST, KEY);
    const { nodePort } = target.loadBalancerPorts[0] ?? {};
    const findIn = async (service?: object): Promise<ApiPlace | undefined> => {
      const cluster = new InMemoryTargetCluster();
      const metadata = { name: 'crate-api', namespace: NAMESPACE };
      const object = { apiVersion: 'v1', kind: 'Service', metadata, ...service };
      if (service) await cluster.applyObject(object, { fieldManager: 'test' });
      return target.findApi(cluster, 'api.elb.example.com');
    };

    it.each([
      { reason: 'nothing listens without a Service', service: undefined, want: undefined },
      {
        reason: 'the load balancer of the cluster leads to the port of its Service',
        service: { spec: { type: 'NodePort', ports: [{ port: 443, nodePort }] } },
        want: { host: 'api.elb.example.com', port: 443 },
      },
      {
        reason: 'it does not lead to a port of somebody else’s choice',
        service: { spec: { type: 'NodePort', ports: [{ port: 443, nodePort: 31_000 }] } },
        want: undefined,
      },
      {
        reason: 'a Service has an address of its own where something makes load balancers',
        service: {
          spec: { type: 'LoadBalancer', ports: [{ port: 443 }] },
          status: { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }] } },
        },
        want: { host: 'lb.example.com', port: 443 },
      },
      {
        reason: 'it has none before that has made one',
        service: { spec: { type: 'LoadBalancer', ports: [{ port: 443 }] }, status: { loadBalancer: {} } },
        want: undefined,
      },
    ])('as $want: $reason', async ({ service, want }) => {
      expect(await findIn(service)).toEqual(want);
    });
  });
});

describe('SandboxTarget', () => {
  it('brings a StorageClass for the claims of the chart, too, which name none', () => {
    expect(new SandboxTarget(REQUEST).objects).toEqual([
      expect.objectContaining({
        kind: 'StorageClass',
        metadata: { name: 'crate', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      }),
    ]);
  });

  it.each([{ sandboxUrl: undefined }, { sandboxUrl: 'http://127.0.0.1:9' }])(
    'refuses to begin without a cloud',
    async (place) => {
      const target = new SandboxTarget({ ...REQUEST, cloud: 'sandbox', ...place } as BootstrapRequest);
      await expect(target.check()).rejects.toMatchObject({
        code: 'Unavailable',
        details: { reason: 'SandboxMissing' },
      });
    },
  );

  it('takes the zones that the region has, where these are fewer than usual', () => {
    const zones = (region: string): unknown => {
      const request = { ...REQUEST, region };
      const document = clusterDocument(request, new SandboxTarget(request));
      return (CLUSTER.body.parse({ spec: document.spec }) as Cluster).spec.network?.availabilityZones;
    };
    expect([zones('us-west-1'), zones('us-west-2')]).toEqual([2, 3]);
  });

  it('asks for no port of the load balancer: pods are reached where they are', () => {
    const target = new SandboxTarget({ ...REQUEST, cloud: 'sandbox' });
    expect(clusterDocument(REQUEST, target).spec).not.toHaveProperty('network');
    expect(target.apiNames()).toEqual([]);
  });
});

describe('what is asked of the temporary platform', () => {
  it('is an account with its boundary, and a cluster that nobody deletes by mistake', () => {
    expect(accountDocument(REQUEST, new AwsTarget(REQUEST, KEY)).spec).toEqual({
      provider: 'aws',
      accountId: '123456789012',
      credentials: KEY,
      permissionsBoundary: REQUEST.permissionsBoundary,
    });
    expect(clusterDocument(REQUEST, new AwsTarget(REQUEST, KEY)).spec).toMatchObject({
      ...{ accountRef: { name: 'platform' }, region: 'eu-central-1', kubernetes: { version: 'v1.32.4' } },
      ...{ controlPlane: { replicas: 3 }, nodePools: [{ name: 'workers', replicas: 3, machineType: 'm5.xlarge' }] },
      deletionProtection: true,
    });
  });
});
