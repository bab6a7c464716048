import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CratePlatform, freePort, OIDC_CLIENT, OIDC_WEB_CLIENT, OidcTestProvider } from '@crate/testing';
import { stringify } from 'yaml';
import { tokenOf } from '../tenancy/people.js';

/** Who belongs to it is an administrator of the platform, by what the identity provider says. */
const CLOUD_TEAM = 'cloud-team';

/** A platform with an identity provider, as the console is used with. */
export class ConsoleStage {
  private constructor(
    readonly platform: CratePlatform,
    readonly provider: OidcTestProvider,
    private readonly directory: string,
  ) {}

  static async start(latencyScale = 0): Promise<ConsoleStage> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-console-'));
    const port = await freePort();
    const provider = await OidcTestProvider.start([`https://127.0.0.1:${port}/console/callback`]);
    provider.groups.set('grace', [CLOUD_TEAM]);
    const issuersFile = join(directory, 'issuers.yaml');
    await writeFile(issuersFile, stringify({ issuers: [trustIn(provider)] }));
    const settings = { CRATE_AUTHENTICATION_ISSUERS_FILE: issuersFile };
    try {
      const platform = await CratePlatform.start({ port, settings, latencyScale });
      return new ConsoleStage(platform, provider, directory);
    } catch (error) {
      await provider.stop();
      throw error;
    }
  }

  /** A token of the administrator of a local platform. */
  async adminToken(): Promise<string> {
    return tokenOf(await this.platform.kubeconfig());
  }

  async tokenOf(user: string): Promise<string> {
    return tokenOf(await this.platform.crate('kubeconfig', '--user', user));
  }

  /**
   * Does something while the front door is down. It dies as a process does that crashed; who would start it again is
   * held until then.
   */
  async withoutLifecycle(work: () => Promise<void>): Promise<void> {
    const { lifecycle } = await this.platform.processes();
    const supervisor = await this.platform.pid();
    if (!lifecycle) throw new Error('lifecycle does not run');
    process.kill(supervisor, 'SIGSTOP');
    try {
      process.kill(lifecycle.pid, 'SIGKILL');
      await work();
    } finally {
      process.kill(supervisor, 'SIGCONT');
    }
  }

  async stop(): Promise<void> {
    await this.platform.remove();
    await this.provider.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

function trustIn({ issuer, caFile }: OidcTestProvider): object {
  return {
    name: 'corporate',
    issuer,
    caFile,
    audiences: [OIDC_CLIENT, OIDC_WEB_CLIENT],
    login: { clientId: OIDC_CLIENT, console: { clientId: OIDC_WEB_CLIENT } },
    platformAdmins: [CLOUD_TEAM],
  };
}
