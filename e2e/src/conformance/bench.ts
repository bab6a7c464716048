import { CratePlatform } from '@crate/testing';
import pg from 'pg';
import { parse } from 'yaml';
import { aCluster, anAccount } from './documents.js';
import { HttpClient } from './http-client.js';

interface KubeconfigFile {
  readonly clusters: readonly { readonly cluster: { readonly server: string; 'certificate-authority-data': string } }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** Somebody who is a member of Projects of kubectl, with the role viewer, and of no others. */
export const VIEWER = 'conformance-viewer';

/** A cluster that is really built, for whoever needs one; its Project has no members. */
export const WHOLE = { project: 'conformance-whole', name: 'whole' } as const;

/** A platform under test, and who talks to it. Rows reach it only once it runs. */
export class ConformanceBench {
  private running: CratePlatform | undefined;
  private adminKubeconfig = '';
  private http: HttpClient | undefined;
  private whole: Promise<void> | undefined;
  private viewer: Promise<string> | undefined;

  /** `settings`: environment variables of every service. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    this.running = await CratePlatform.start({ settings });
    this.adminKubeconfig = await this.running.kubeconfig();
    const { clusters, users } = parse(this.adminKubeconfig) as KubeconfigFile;
    const { server, 'certificate-authority-data': ca } = clusters[0]?.cluster ?? { server: '' };
    const authority = Buffer.from(ca ?? '', 'base64').toString();
    this.http = new HttpClient({ url: server, ca: authority, token: users[0]?.user.token ?? '' });
  }

  async stop(): Promise<void> {
    this.http?.close();
    await this.running?.remove();
  }

  get platform(): CratePlatform {
    if (!this.running) throw new Error('The platform does not run');
    return this.running;
  }

  /** The administrator, over plain HTTP. */
  get admin(): HttpClient {
    if (!this.http) throw new Error('The platform does not run');
    return this.http;
  }

  get kubeconfig(): string {
    return this.adminKubeconfig;
  }

  /** Forgets all changes of a service's objects, as its own housekeeping does sooner or later. */
  async compactLog(schema: string): Promise<void> {
    const database = new pg.Client({ connectionString: await this.platform.databaseUrl() });
    await database.connect();
    try {
      await database.query(`SET search_path = ${schema}`);
      await database.query('SELECT compact_resource_changes(0)');
    } finally {
      await database.end();
    }
  }

  /** A Project with a cloud account, for one client alone. */
  async project(name: string, members: readonly object[] = []): Promise<void> {
    await this.admin.post('/apis/lifecycle.crate.dev/v1alpha1/projects', {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Project',
      metadata: { name },
      spec: { members },
    });
    await this.admin.post(`/apis/cloud.crate.dev/v1alpha1/namespaces/${name}/cloudaccounts`, anAccount('sandbox'));
  }

  /** Asks for the cluster `WHOLE`, once; it is not awaited. */
  wholeCluster(): Promise<void> {
    this.whole ??= this.makeWhole();
    return this.whole;
  }

  /** As the platform's own issuer gives it to `VIEWER`. */
  viewerKubeconfig(): Promise<string> {
    this.viewer ??= this.platform.crate('kubeconfig', '--user', VIEWER);
    return this.viewer;
  }

  private async makeWhole(): Promise<void> {
    await this.project(WHOLE.project);
    const spec = { paused: false, controlPlane: { replicas: 1 } };
    await this.admin.apply(aCluster(WHOLE.name, { spec }), WHOLE.project);
  }
}
