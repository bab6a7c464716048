import { CratePlatform } from '@crate/testing';
import pg from 'pg';
import { parse } from 'yaml';
import { anAccount } from './documents.js';
import { HttpClient } from './http-client.js';

interface KubeconfigFile {
  readonly clusters: readonly { readonly cluster: { readonly server: string; 'certificate-authority-data': string } }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** A platform under test, and who talks to it. Rows reach it only once it runs. */
export class ConformanceBench {
  private running: CratePlatform | undefined;
  private adminKubeconfig = '';
  private http: HttpClient | undefined;

  async start(): Promise<void> {
    this.running = await CratePlatform.start();
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
  async project(name: string): Promise<void> {
    await this.admin.post('/apis/lifecycle.crate.dev/v1alpha1/projects', {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Project',
      metadata: { name },
      spec: {},
    });
    await this.admin.post(`/apis/cloud.crate.dev/v1alpha1/namespaces/${name}/cloudaccounts`, anAccount('sandbox'));
  }
}
