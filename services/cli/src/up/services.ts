import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import {
  FileKeyStore,
  LOCAL_ISSUER,
  LocalIssuer,
  PLATFORM_ADMIN_GROUP,
  ensureKeyPair,
  natsServerConfig,
  type KeyDirectories,
  type Person,
} from '@crate/auth';
import type { DataDir } from './data-dir.js';
import { ADMIN } from './kubeconfig.js';
import { ensurePassword, writeSecretFile } from './secret-file.js';
import type { Settings } from './settings.js';
import type { ServerCertificate } from './certificates.js';
import { SERVICE_ORDER, type LocalService } from './service-order.js';

/** One process of a service. */
export interface ServiceInstance {
  readonly service: LocalService;
  /** Counts from 1. */
  readonly replica: number;
  /** The service's name; further replicas carry their number. */
  readonly name: string;
  /** There only while the version of the service changes; it stands in for the first one. */
  readonly isExtra?: boolean;
}

/** Every process of the named services, first replicas first. */
export function instancesOf(services: readonly LocalService[], replicas: number): readonly ServiceInstance[] {
  const numbers = Array.from({ length: replicas }, (_, index) => index + 1);
  return numbers.flatMap((replica) =>
    services.map((service) => ({ service, replica, name: replica === 1 ? service : `${service}-${replica}` })),
  );
}

/** The process that is there only while versions change. */
export function extraInstanceOf(service: LocalService, replicas: number): ServiceInstance {
  return { service, replica: replicas + 1, name: `${service}-${replicas + 1}`, isExtra: true };
}

const TOKEN_SECONDS = 30 * 86_400;

/** What every service of one platform shares. */
export interface PlatformContext {
  readonly dir: DataDir;
  readonly settings: Settings;
  readonly certificate: ServerCertificate;
  /** By service, each with a role of its own. */
  readonly databaseUrls: ReadonlyMap<string, string>;
  readonly programs: { readonly terraform: string; readonly searchPath: string };
  /** YAML file that lists OpenID Connect issuers. */
  readonly issuersFile?: string | undefined;
  /** Directory of the built console. */
  readonly consoleDir?: string | undefined;
  /** Where lifecycle says which versions of services shall run; absent: it has no say in that. */
  readonly componentsDir?: string | undefined;
  /** Where the simulated cloud is. */
  readonly sandboxUrl: string;
  /** Environment variables of every service, over those chosen here. */
  readonly furtherSettings?: Readonly<Record<string, string>>;
}

/** Where the console of this checkout is; undefined when it was not built. */
export function builtConsoleDir(): string | undefined {
  const dir = fileURLToPath(new URL('../../../console/dist', import.meta.url));
  return existsSync(join(dir, 'index.html')) ? dir : undefined;
}

/** Makes each service's key pair; private halves lie where only their service looks. Idempotent. */
export async function ensureServiceKeys(dir: DataDir): Promise<void> {
  for (const name of [...SERVICE_ORDER, LOCAL_ISSUER]) {
    await ensureKeyPair(serviceKeys(dir, name), name);
  }
}

/** Where a service's own key pairs are. */
export function serviceKeys(dir: DataDir, name: string): KeyDirectories {
  return { privateDir: join(dir.service(name), 'keys'), trustDir: dir.trust() };
}

/** A token for the administrator of this data directory. */
export function issueAdminToken(dir: DataDir): string {
  return issueToken(dir, { user: ADMIN, groups: [PLATFORM_ADMIN_GROUP] });
}

/** A token for anybody: whoever can read this data directory decides who people are. */
export function issueToken(dir: DataDir, person: Person): string {
  return new LocalIssuer(new FileKeyStore(serviceKeys(dir, LOCAL_ISSUER), LOCAL_ISSUER)).issue(person, TOKEN_SECONDS);
}

/** Writes nats-server's configuration with one password per service; gives its path. */
export async function writeNatsConfig(dir: DataDir, port: number): Promise<string> {
  const users = await Promise.all(
    SERVICE_ORDER.map(async (service) => ({ service, password: await ensurePassword(natsPasswordFile(dir, service)) })),
  );
  const path = join(dir.nats(), 'nats.conf');
  await writeSecretFile(path, natsServerConfig({ port, users }));
  return path;
}

/** The whole environment of a service process: nothing of the person's own leaks into it. */
export async function serviceEnvironment(
  instance: ServiceInstance,
  context: PlatformContext,
): Promise<Record<string, string>> {
  const { dir, settings } = context;
  const name = instance.service;
  const own = dir.service(name);
  const databaseUrlFile = join(own, 'database-url');
  await writeSecretFile(databaseUrlFile, context.databaseUrls.get(name) ?? '');
  return {
    PATH: context.programs.searchPath,
    HOME: own,
    NODE_ENV: 'production',
    CRATE_DATABASE_URL_FILE: databaseUrlFile,
    CRATE_NATS_URL: `nats://127.0.0.1:${settings.natsPort}`,
    CRATE_NATS_USER: name,
    CRATE_NATS_PASSWORD_FILE: natsPasswordFile(dir, name),
    CRATE_KEYS_PRIVATE_DIR: join(own, 'keys'),
    CRATE_KEYS_TRUST_DIR: dir.trust(),
    CRATE_ENCRYPTION_KEYS_DIR: join(own, 'encryption'),
    // All replicas read this one directory.
    CRATE_ENCRYPTION_SETTLE_MS: '0',
    CRATE_RECOVERY_MARKER_FILE: join(own, 'memory.json'),
    CRATE_HEALTH_PORT: String(settings.healthPorts[instance.name] ?? 0),
    ...specific(instance, context),
    ...context.furtherSettings,
  };
}

function specific(instance: ServiceInstance, context: PlatformContext): Record<string, string> {
  const name = instance.service;
  const { dir, settings, certificate, sandboxUrl } = context;
  switch (name) {
    case 'lifecycle':
      return {
        ...apiPort(instance, settings),
        CRATE_API_TLS_CERTIFICATE_FILE: certificate.certificateFile,
        CRATE_API_TLS_KEY_FILE: certificate.keyFile,
        ...(context.issuersFile === undefined ? {} : { CRATE_AUTHENTICATION_ISSUERS_FILE: context.issuersFile }),
        ...(context.consoleDir === undefined ? {} : consoleSettings(context.consoleDir, settings)),
        // Whoever tries the platform has receivers of messages on this machine.
        CRATE_NOTIFICATION_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
        ...(context.componentsDir === undefined ? {} : { CRATE_COMPONENTS_DIRECTORY: context.componentsDir }),
        CRATE_ADD_ONS_DIR: fileURLToPath(new URL('../../../../deploy/add-ons', import.meta.url)),
      };
    case 'cloud-mgmt':
      return {
        CRATE_TERRAFORM_BINARY: context.programs.terraform,
        CRATE_WORKSPACES_DIR: join(dir.service(name), 'workspaces'),
        CRATE_SANDBOX_URL: sandboxUrl,
      };
    case 'cluster-mgmt':
      return {
        CRATE_RKE_BINARY: join(dir.bin(), 'rke'),
        CRATE_WORKSPACES_DIR: join(dir.service(name), 'workspaces'),
      };
    case 'policy-mgmt':
      return {};
  }
}

/** The console, and where messages to people say that it is. */
function consoleSettings(consoleDir: string, { apiPort: port }: Settings): Record<string, string> {
  return { CRATE_CONSOLE_DIR: consoleDir, CRATE_CONSOLE_URL: `https://127.0.0.1:${port}` };
}

/** Further replicas share the work; people reach the first one, or the one that stands in for it. */
function apiPort({ replica, isExtra = false }: ServiceInstance, settings: Settings): Record<string, string> {
  if (replica !== 1 && !isExtra) return { CRATE_API_PORT: '0' };
  // Elsewhere two processes cannot listen on one port, and an upgrade has a short gap.
  const isShared = process.platform === 'linux';
  return { CRATE_API_PORT: String(settings.apiPort), CRATE_API_REUSE_PORT: String(isShared) };
}

/** Where the password of a service for NATS lies. */
export function natsPasswordFile(dir: DataDir, service: string): string {
  return join(dir.service(service), 'nats-password');
}
