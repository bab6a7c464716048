import { eventually } from '@crate/testing';
import { ConformanceBench } from '../conformance/bench.js';
import { anAccount } from '../conformance/documents.js';
import type { HttpClient } from '../conformance/http-client.js';
import { BREAKERS, everybody, MEMBERS, OTHER, OWN, type Asker } from './people.js';
import { announced, furtherRoutes, routesOf, type Route } from './routes.js';

const LIFECYCLE = '/apis/lifecycle.crate.dev/v1alpha1';

/** A whole platform with two Projects that hold the same kinds of things, and everybody who asks. */
export class TenancyBench {
  askers: readonly Asker[] = [];
  routes: readonly Route[] = [];
  /** Those that are no resources'. */
  further: readonly Route[] = [];
  /** Names and uids of what a Project holds: nobody else may see them. */
  readonly secrets = new Map<string, string[]>();
  private readonly names = new Map<string, string>();
  private readonly bench = new ConformanceBench();

  async start(): Promise<void> {
    await this.bench.start({ CRATE_API_BREAK_GLASS_GROUPS: BREAKERS });
    for (const project of [OWN, OTHER]) await this.fill(project);
    this.askers = await everybody(this.bench.platform, this.admin);
    await this.untilKnown();
    const resources = await announced(this.admin);
    this.routes = routesOf(resources, (plural, project) => this.names.get(`${project ?? ''}/${plural}`));
    this.further = furtherRoutes((project) => this.names.get(`${project}/infrastructures`));
  }

  async stop(): Promise<void> {
    for (const { http } of this.askers) http.close();
    await this.bench.stop();
  }

  get admin(): HttpClient {
    return this.bench.admin;
  }

  /** Replaces all members of a Project. */
  async setMembers(project: string, members: readonly object[]): Promise<void> {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const { code, text } = await this.admin.call('PATCH', `${LIFECYCLE}/projects/${project}`, {
      body: { spec: { members } },
      headers,
    });
    if (code !== 200) throw new Error(`Members were not changed: ${text}`);
  }

  private async fill(project: string): Promise<void> {
    const { admin } = this;
    const apiVersion = 'lifecycle.crate.dev/v1alpha1';
    const members = MEMBERS[project] ?? [];
    const scope = `${LIFECYCLE}/namespaces/${project}`;
    await created(admin, `${LIFECYCLE}/projects`, {
      apiVersion,
      kind: 'Project',
      metadata: { name: project },
      spec: { members },
    });
    const account = anAccount(`account-of-${project}`);
    const accounts = `/apis/cloud.crate.dev/v1alpha1/namespaces/${project}/cloudaccounts`;
    await this.remember(project, 'cloudaccounts', accounts, account);
    const spec = {
      accountRef: { name: account.metadata.name },
      region: 'us-east-1',
      kubernetes: { version: 'v1.31.4' },
      controlPlane: { replicas: 1 },
      nodePools: [{ name: 'workers', replicas: 1, machineType: 'm5.large' }],
    };
    const cluster = { apiVersion, kind: 'Cluster', metadata: { name: `cluster-of-${project}` }, spec };
    await this.remember(project, 'clusters', `${scope}/clusters`, cluster);
    for (const [plural, document] of ownObjects(project, cluster.metadata.name)) {
      await this.remember(project, plural, `${scope}/${plural}`, { apiVersion, ...document });
    }
    for (const [plural, path] of [
      ['nodepools', `${scope}/nodepools`],
      ['infrastructures', `/apis/cloud.crate.dev/v1alpha1/namespaces/${project}/infrastructures`],
      ['kubernetesclusters', `/apis/cluster.crate.dev/v1alpha1/namespaces/${project}/kubernetesclusters`],
    ] as const) {
      const child = await eventually(async () => oneOf(admin, path), { timeoutMs: 60_000 });
      this.learn(project, plural, child);
    }
  }

  private async remember(project: string, plural: string, path: string, document: unknown): Promise<void> {
    const { metadata } = await created(this.admin, path, document);
    this.learn(project, plural, metadata);
  }

  private learn(project: string, plural: string, { name, uid }: { readonly name: string; readonly uid: string }): void {
    this.names.set(`${project}/${plural}`, name);
    this.secrets.set(project, [...(this.secrets.get(project) ?? []), name, uid]);
  }

  /** Members are known to the front door within moments. */
  private async untilKnown(): Promise<void> {
    for (const { http, ranks } of this.askers) {
      const [project] = Object.keys(ranks).filter((name) => name !== '*');
      if (project === undefined) continue;
      await eventually(async () => (await http.get(`${LIFECYCLE}/projects/${project}`)).code === 200);
    }
  }
}

/** What people of a Project make beside its cluster. */
function ownObjects(project: string, cluster: string): readonly (readonly [string, object])[] {
  const clusterRef = { name: cluster };
  const metadata = (what: string): object => ({ name: `${what}-of-${project}` });
  // Reaches nobody, wherever this runs.
  const webhook = { url: 'https://crate.invalid/hook', secret: 'a signing secret' };
  const changes = { controlPlane: { replicas: 3 } };
  return [
    ['apikeys', { kind: 'APIKey', metadata: metadata('key'), spec: { role: 'viewer' } }],
    ['plans', { kind: 'Plan', metadata: metadata('plan'), spec: { clusterRef, changes } }],
    [
      'notificationchannels',
      { kind: 'NotificationChannel', metadata: metadata('channel'), spec: { type: 'webhook', webhook } },
    ],
  ];
}

interface Stored {
  readonly metadata: { readonly name: string; readonly uid: string };
}

async function created(http: HttpClient, path: string, document: unknown): Promise<Stored> {
  const { code, text, body } = await http.post(path, document);
  if (code !== 201) throw new Error(`Not created at ${path}: ${text}`);
  return body;
}

async function oneOf(http: HttpClient, path: string): Promise<Stored['metadata']> {
  const [item] = (await http.get(path)).body.items;
  if (!item) throw new Error(`Nothing yet at ${path}`);
  return item.metadata;
}
