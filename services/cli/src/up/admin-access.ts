import { setTimeout as delay } from 'node:timers/promises';
import { KubeconfigFile } from '../kubeconfig/kubeconfig-file.js';
import { ensureServerCertificate, type ServerCertificate } from './certificates.js';
import type { DataDir } from './data-dir.js';
import { ADMIN, clusterEntry, OWN_CONTEXT, renderKubeconfig } from './kubeconfig.js';
import { writeSecretFile } from './secret-file.js';
import { issueAdminToken } from './services.js';

/** When both are renewed: a token is good for a month, and a certificate is renewed a month before its end. */
const RENEW_AFTER_MS = 86_400_000;
/** Timers stand still while a machine sleeps, so that the clock is looked at more often. */
const LOOK_EVERY_MS = 3_600_000;

/** The certificate of a local platform's API and the kubeconfig of its administrator: neither ends while the platform runs. */
export class AdminAccess {
  private readonly stopping = new AbortController();
  private renewing = Promise.resolve();
  private renewedAt = 0;

  constructor(
    private readonly dir: DataDir,
    private readonly say: (line: string) => void,
    private readonly lookEveryMs = LOOK_EVERY_MS,
  ) {}

  /** Makes both; the kubeconfig is a new one. */
  async write(server: string): Promise<ServerCertificate> {
    const certificate = await ensureServerCertificate(this.dir);
    const token = issueAdminToken(this.dir);
    const text = renderKubeconfig({ server, ca: certificate.ca, token, user: ADMIN });
    await writeSecretFile(this.dir.adminKubeconfig(), text);
    this.renewedAt = Date.now();
    return certificate;
  }

  /** Renews them every day, until it stops; lifecycle reads a new certificate by itself. */
  keep(server: string): void {
    this.renewing = this.renewDaily(server);
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.renewing;
  }

  private async renewDaily(server: string): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await delay(this.lookEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (Date.now() - this.renewedAt < RENEW_AFTER_MS) continue;
      await this.renew(server).catch((error: unknown) => {
        this.say(`Cannot renew the access of the administrator: ${String(error)}`);
      });
    }
  }

  /** What people added to the kubeconfig since the start stays, and so does the namespace that they work in. */
  private async renew(server: string): Promise<void> {
    const { ca } = await ensureServerCertificate(this.dir);
    const token = issueAdminToken(this.dir);
    await KubeconfigFile.update(this.dir.adminKubeconfig(), (file) => {
      file.set('clusters', OWN_CONTEXT, clusterEntry({ server, ca }));
      file.set('users', ADMIN, { token });
      file.set('contexts', OWN_CONTEXT, {
        ...file.find<object>('contexts', OWN_CONTEXT),
        cluster: OWN_CONTEXT,
        user: ADMIN,
      });
    });
    this.renewedAt = Date.now();
  }
}
