import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { natsServerConfig, type CertificateSubject } from '@crate/auth';
import {
  API_CERTIFICATE_DAYS,
  ensureAuthority,
  ensureCertificate,
  filesOf,
  type CertificateFiles,
} from '../up/certificates.js';
import { DataDir } from '../up/data-dir.js';
import { ADMIN, renderKubeconfig } from '../up/kubeconfig.js';
import { ensurePassword, replaceFile, writeSecretFile } from '../up/secret-file.js';
import { ensureServiceKeys, issueAdminToken, natsPasswordFile } from '../up/services.js';
import { SERVICE_ORDER } from '../up/service-order.js';
import type { InstallationSettings } from './config.js';

const MONITOR_PORT = 8222;

/**
 * Makes what a platform needs before its servers start: key pairs, passwords, an authority and certificates, NATS' configuration, the
 * administrator's kubeconfig. What is there stays as it is, but NATS' configuration is written anew, and certificates near their end and the
 * administrator's token are renewed. Idempotent.
 */
export async function prepareFiles(settings: InstallationSettings): Promise<void> {
  const dir = new DataDir(settings.dir);
  await ensureServiceKeys(dir);
  const { certificate: ca, ...authority } = await ensureAuthority(dir);
  // For everybody: who connects to a server of this installation knows it by this.
  await replaceFile(join(dir.trust(), 'ca.crt'), ca, 0o644);
  const issuedBy = { certificate: ca, ...authority };
  const issue = async (directory: string, subject: CertificateSubject): Promise<CertificateFiles> => {
    const files = filesOf(directory, 'server');
    await ensureCertificate(files, {
      authority: issuedBy,
      subject: { ...subject, names: [...new Set(subject.names)] },
    });
    return files;
  };
  await issue(join(dir.service('lifecycle'), 'tls'), apiSubject(settings));
  await issue(join(dir.service('postgres'), 'tls'), {
    commonName: 'postgres',
    names: [settings.postgres.host, 'localhost'],
  });
  await ensurePassword(join(dir.service('postgres'), 'password'));
  const natsNames = [settings.nats.host, 'localhost'];
  await writeNats(dir, settings, await issue(join(dir.nats(), 'tls'), { commonName: 'nats', names: natsNames }));
  await writeSecretFile(
    join(dir.service('admin'), 'admin.kubeconfig'),
    renderKubeconfig({ server: settings.apiUrl, ca, token: issueAdminToken(dir), user: ADMIN }),
  );
}

function apiSubject({ apiUrl, apiNames }: InstallationSettings): CertificateSubject {
  const names = [new URL(apiUrl).hostname, 'lifecycle', ...apiNames];
  return { commonName: 'crate-api', names, days: API_CERTIFICATE_DAYS };
}

async function writeNats(dir: DataDir, settings: InstallationSettings, tls: CertificateFiles): Promise<void> {
  const users = await Promise.all(
    SERVICE_ORDER.map(async (service) => ({ service, password: await ensurePassword(natsPasswordFile(dir, service)) })),
  );
  const jetStreamDir = join(dir.nats(), 'jetstream');
  await mkdir(jetStreamDir, { recursive: true, mode: 0o700 });
  const { port } = settings.nats;
  const text = natsServerConfig({ port, users, tls, host: '0.0.0.0', jetStreamDir, monitorPort: MONITOR_PORT });
  await writeSecretFile(join(dir.nats(), 'nats.conf'), text);
}
