import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort, GuardedProcess, mayEnter } from '@crate/local-servers';
import { ROOT } from '../files/written-files.js';
import type { RenderedObject } from '../render/staged-chart.js';
import type { ReleaseSecrets } from '../secrets/release-secrets.js';

interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly defaultMode: number };
}
interface PodSpec {
  readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value: string }[] }[];
  readonly volumes: readonly Volume[];
  readonly securityContext: { readonly runAsUser: number; readonly fsGroup: number };
}
interface User {
  readonly uid: number;
  readonly gid: number;
}

/** A service that runs as its pod would. */
export interface StartedService {
  readonly service: string;
  readonly healthUrl: string;
  readonly apiPort: number | undefined;
  readonly log: () => Promise<string>;
}

/**
 * The processes of a rendered release on this machine: each with the environment of its container, with the files of its volumes, and, where the
 * machine lets it, as the user of its pod, to whom files of root are lent by its group.
 */
export class StartedRelease {
  private readonly processes: GuardedProcess[] = [];

  private constructor(
    private readonly directory: string,
    private readonly secrets: ReleaseSecrets,
  ) {}

  static async prepare(secrets: ReleaseSecrets): Promise<StartedRelease> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-release-'));
    await chmod(directory, 0o755);
    return new StartedRelease(directory, secrets);
  }

  async start({ metadata, spec }: RenderedObject): Promise<StartedService> {
    const pod = (spec as { template: { spec: PodSpec } }).template.spec;
    const service = metadata.name.replace(/^crate-/, '');
    const home = join(this.directory, service);
    const user = await this.userOf(pod);
    await this.mount(pod, home, user);
    const [healthPort, apiPort] = [await freePort(), await freePort()];
    const given = pod.containers[0]?.env.map(({ name, value }) => [name, this.placed(value, home)] as const) ?? [];
    const ports = { CRATE_HEALTH_PORT: String(healthPort), CRATE_HEALTH_HOST: '127.0.0.1' };
    const api = { CRATE_API_PORT: String(apiPort), CRATE_API_HOST: '127.0.0.1' };
    const logFile = join(this.directory, `${service}.log`);
    await writeFile(logFile, '', { mode: 0o666 });
    await chmod(logFile, 0o666);
    this.processes.push(
      await GuardedProcess.start({
        ...{ command: process.execPath, args: [join(ROOT, 'services', service, 'dist/main.js')], directory: '/' },
        ...{ stopSignal: 'TERM', logFile, ...user },
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          ...Object.fromEntries(given),
          ...ports,
          ...(service === 'lifecycle' ? api : {}),
        },
      }),
    );
    const healthUrl = `http://127.0.0.1:${healthPort}`;
    const isDoor = service === 'lifecycle';
    return { service, healthUrl, apiPort: isDoor ? apiPort : undefined, log: () => readFile(logFile, 'utf8') };
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.stop()));
    await rm(this.directory, { recursive: true });
  }

  /** Nothing where this machine cannot show it: the test is not root, or the checkout lies where nobody else may look. */
  private async userOf({ securityContext }: PodSpec): Promise<Partial<User>> {
    const user = { uid: securityContext.runAsUser, gid: securityContext.fsGroup };
    return process.geteuid?.() === 0 && (await mayEnter(ROOT, user)) ? user : {};
  }

  private async mount({ volumes }: PodSpec, home: string, { uid, gid }: Partial<User>): Promise<void> {
    for (const path of ['tmp', 'var/lib/crate']) {
      await mkdir(join(home, path), { recursive: true });
      if (uid !== undefined && gid !== undefined) await chown(join(home, path), uid, gid);
    }
    for (const { name, secret } of volumes) {
      if (!secret) continue;
      const found = this.secrets.secrets.find(({ metadata }) => metadata.name === secret.secretName);
      if (!found) throw new Error(`There is no Secret ${secret.secretName}`);
      for (const [file, text] of Object.entries(found.stringData)) {
        const path = join(home, 'run/crate', name, file);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text);
        // As the kubelet does: root's, and the group's of the pod.
        if (gid !== undefined) await chown(path, 0, gid);
        await chmod(path, gid === undefined ? secret.defaultMode & 0o700 : secret.defaultMode);
      }
    }
  }

  private placed(value: string, home: string): string {
    if (value === '/opt/crate/console') return join(ROOT, 'services/console/dist');
    if (value === '/opt/crate/add-ons') return join(ROOT, 'deploy/add-ons');
    return value.replace(/^\/(?=run\/crate|var\/lib\/crate|tmp)/, `${home}/`);
  }
}

/** What the API answers; the authority of the release's certificates is trusted. */
export function askApi(port: number, path: string, { ca, adminToken }: ReleaseSecrets): Promise<[number, string]> {
  const headers = { authorization: `Bearer ${adminToken}` };
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, ca, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    }).on('error', reject);
  });
}
