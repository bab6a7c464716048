import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES } from '@crate/auth';
import { parse } from 'yaml';
import { passwordVariable } from '../values/nats-values.js';
import { whyNoHelm } from './program.js';
import { StagedChart, type Values } from './staged-chart.js';

const reason = await whyNoHelm();
const suite = reason === undefined ? describe : describe.skip;
/** What a release of another name has to say of bundled NATS, but its name. */
const PLATFORM_NATS = {
  enabled: true,
  config: {
    nats: { tls: { secretName: 'platform-nats-tls' } },
  },
  container: {
    env: Object.fromEntries(
      SERVICES.map((service) => [
        passwordVariable(service),
        { valueFrom: { secretKeyRef: { name: `platform-${service}-credentials` } } },
      ]),
    ),
  },
};
/** The same by the name that its release gives it. */
const OWN_NAME = {
  ...{ ...PLATFORM_NATS, fullnameOverride: 'platform-nats' },
  config: { ...PLATFORM_NATS.config, cluster: { tls: { secretName: 'platform-nats-routes-tls' } } },
};
const NATS = { messaging: { url: 'tls://nats.example.com:4222' } };

suite(`values that the chart refuses${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let chart: StagedChart;
  beforeAll(async () => {
    chart = await StagedChart.make();
  });
  afterAll(() => chart.remove());

  it.each<{ reason: string; values: Values; says: readonly string[] }>([
    { reason: 'a misspelt value', values: { ...NATS, replicsa: 3 }, says: ["'replicsa' not allowed"] },
    {
      reason: 'a misspelt value deep inside',
      values: { ...NATS, cloudMgmt: { persistence: { sise: '5Gi' } } },
      says: ["'/cloudMgmt/persistence'", "'sise' not allowed"],
    },
    {
      reason: 'a number where there must be one, in words',
      values: { ...NATS, lifecycle: { replicas: 'two' } },
      says: ["'/lifecycle/replicas'", 'want integer'],
    },
    {
      reason: 'an amount that Kubernetes cannot read',
      values: { ...NATS, policyMgmt: { persistence: { size: '1 GB' } } },
      says: ["'/policyMgmt/persistence/size'", 'does not match pattern'],
    },
    { reason: 'no NATS at all', values: {}, says: ['messaging.url is needed'] },
    {
      reason: 'two of them',
      values: { ...NATS, nats: { enabled: true } },
      says: ['messaging.url: must be empty with nats.enabled'],
    },
    {
      reason: 'an Ingress for every host',
      values: { ...NATS, ingress: { enabled: true } },
      says: ['ingress.host is needed'],
    },
    {
      reason: 'an API that the whole internet reaches unasked',
      values: { ...NATS, service: { type: 'LoadBalancer' } },
      says: ['service.loadBalancerSourceRanges is needed'],
    },
    {
      reason: 'rights in a cluster that nobody looks after',
      values: { ...NATS, inCluster: { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] } },
      says: ['say nothing without inCluster.enabled'],
    },
    {
      reason: 'further rules of a role that others make',
      values: { ...NATS, inCluster: { enabled: true, clusterRole: 'cluster-admin', rules: [{ verbs: ['get'] }] } },
      says: ['inCluster.rules: add to the ClusterRole that the chart makes'],
    },
    {
      reason: 'the sandbox',
      values: { ...NATS, cloudMgmt: { env: { CRATE_SANDBOX_URL: 'http://sandbox' } } },
      says: ['CRATE_SANDBOX_URL: the sandbox is for evaluation'],
    },
    {
      reason: 'a lifecycle that nobody could take back',
      values: { ...NATS, components: { enabled: true }, lifecycle: { replicas: 1 } },
      says: ['lifecycle.replicas: must be 2 or more with components.enabled', 'or set components.enabled to false'],
    },
    {
      reason: 'one that has a pod to itself at night',
      values: {
        ...{ ...NATS, components: { enabled: true } },
        lifecycle: { replicas: 3, autoscaling: { kind: 'hpa', minReplicas: 1 } },
      },
      says: ['lifecycle.autoscaling.minReplicas: must be 2 or more with components.enabled'],
    },
    {
      reason: 'fewer pods at most than at least',
      values: { ...NATS, lifecycle: { autoscaling: { kind: 'hpa', minReplicas: 4, maxReplicas: 3 } } },
      says: ['lifecycle.autoscaling.minReplicas: must not be above maxReplicas'],
    },
    {
      reason: 'bundled NATS that would look for passwords elsewhere',
      values: { nats: { enabled: true }, lifecycle: { secrets: { credentials: 'mine' } } },
      says: ['nats.container.env.CRATE_NATS_PASSWORD_LIFECYCLE', 'must be "mine"'],
    },
    {
      reason: 'bundled NATS that speaks no TLS to services that do',
      values: { nats: { enabled: true, config: { nats: { tls: { enabled: false } } } } },
      says: ['nats.config.nats.tls.enabled and messaging.tls: must be the same'],
    },
    {
      reason: 'bundled NATS whose servers speak no TLS to one another',
      values: { nats: { enabled: true, config: { cluster: { tls: { enabled: false } } } } },
      says: ['nats.config.cluster.tls: enabled and merge.verify must be true with messaging.tls'],
    },
    {
      reason: 'bundled NATS whose servers take anybody for one of them',
      values: { nats: { enabled: true, config: { cluster: { tls: { merge: { verify: false } } } } } },
      says: ['nats.config.cluster.tls: enabled and merge.verify must be true with messaging.tls'],
    },
    {
      reason: 'bundled NATS whose servers look for their certificate elsewhere',
      values: { nats: { enabled: true, config: { cluster: { tls: { secretName: 'mine' } } } } },
      says: ['nats.config.cluster.tls.secretName: must be "crate-nats-routes-tls"', 'and is "mine"'],
    },
    {
      reason: 'bundled NATS whose servers show what was made for another name of them',
      values: {
        ...{ fullnameOverride: 'platform', messaging: { tlsSecret: 'platform-nats-tls' } },
        nats: { ...OWN_NAME, fullnameOverride: 'crate-nats' },
      },
      says: ['nats.config.cluster.tls.secretName: must be "crate-nats-routes-tls"', 'for *.crate-nats-headless'],
    },
    {
      reason: 'bundled NATS whose servers find one another by names that their certificate does not have',
      values: { nats: { enabled: true, config: { cluster: { routeURLs: { useFQDN: true } } } } },
      says: ['nats.config.cluster.routeURLs.useFQDN: must be false with messaging.tls', '*.crate-nats-headless'],
    },
    {
      reason: 'bundled NATS by a name that the certificate of make-secrets does not have',
      values: { fullnameOverride: 'platform', nats: PLATFORM_NATS },
      says: [
        'nats.fullnameOverride: must be "platform-nats", for which make-secrets has made',
        'and is "crate-nats"',
        'messaging.tlsSecret, also if it is "platform-nats-tls"',
      ],
    },
    {
      reason: 'more pods than PostgreSQL lets in',
      values: { ...NATS, postgresql: { enabled: true }, lifecycle: { replicas: 7 } },
      says: ['postgresql.maxConnectionsPerService: 7 pods of lifecycle take up to 98 connections'],
    },
    {
      reason: 'images older than the chart, which an upgrade would otherwise keep in silence',
      values: { ...NATS, image: { tag: 'v0.0.9' } },
      says: [
        'image.tag: must not be older than the chart',
        'and is v0.0.9',
        '--set image.tag= takes those of the chart',
        'the chart of 0.0.9 keeps it',
      ],
    },
    {
      reason: 'a store of secrets without a name',
      values: { ...NATS, externalSecrets: { enabled: true } },
      says: ['externalSecrets.storeName is needed'],
    },
    {
      reason: 'a webhook that would know API servers by the authority of its own certificate',
      values: {
        ...NATS,
        certManager: { enabled: true, issuerName: 'internal' },
        policyMgmt: { webhook: { enabled: true } },
      },
      says: ['policyMgmt.webhook.clientCaSecret is needed with certManager.enabled', 'or verifyClients: false'],
    },
    {
      reason: 'that very authority, by its name',
      values: {
        ...NATS,
        certManager: { enabled: true, issuerName: 'internal' },
        policyMgmt: { webhook: { enabled: true, clientCaSecret: 'crate-webhook-tls' } },
      },
      says: ['policyMgmt.webhook.clientCaSecret: must not be "crate-webhook-tls"', 'or verifyClients: false'],
    },
    {
      reason: 'certificates of nobody',
      values: { ...NATS, certManager: { enabled: true } },
      says: ['certManager.issuerName is needed'],
    },
  ])('$reason', async ({ values, says }) => {
    const refusal = await chart.refusal(values);
    for (const part of says) expect(refusal).toContain(part);
  });

  it('a name that leaves no room for the label of the pods of a StatefulSet', async () => {
    const of = (length: number): Promise<string> => chart.refusal({ ...NATS, fullnameOverride: 'c'.repeat(length) });
    expect(await of(40)).toContain('fullnameOverride: must have 39 characters at most');
    expect(await of(60)).toContain(`and the name of this release is "${'c'.repeat(40)}"`);
    expect(await of(39)).toBe('');
  });

  it.each<{ reason: string; more: Values }>([
    { reason: 'the name of the release', more: { nats: OWN_NAME } },
    { reason: 'one that cert-manager is told', more: { certManager: { enabled: true, issuerName: 'internal' } } },
    { reason: 'one that its own certificate has', more: { messaging: { tlsSecret: 'platform-nats-tls' } } },
    {
      reason: 'one that a certificate of somebody else has',
      more: {
        nats: { ...PLATFORM_NATS, config: { ...PLATFORM_NATS.config, nats: { tls: { secretName: 'mine' } } } },
        messaging: { tlsSecret: 'mine' },
      },
    },
  ])('but takes bundled NATS of a release of another name by $reason', async ({ more }) => {
    expect(await chart.refusal({ fullnameOverride: 'platform', nats: PLATFORM_NATS, ...more })).toBe('');
  });

  it.each<{ reason: string; tagOf: (version: string) => string }>([
    { reason: 'a build of its own version', tagOf: (version) => `${version}-fix.1` },
    { reason: 'four numbers, which are no version', tagOf: () => '0.0.1.1' },
    { reason: 'a date, which is none either', tagOf: () => '2026.01.15' },
  ])('but takes images with $reason', async ({ tagOf }) => {
    const { appVersion } = parse(await readFile(join(chart.directory, 'Chart.yaml'), 'utf8')) as { appVersion: string };
    expect(await chart.refusal({ ...NATS, image: { tag: tagOf(appVersion) } })).toBe('');
  });
});
