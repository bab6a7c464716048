import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedProcess } from '@crate/local-servers';
import { eventually } from '@crate/testing';
import type { AssembledImage } from './assembled.js';
import { ROOT } from './checkout.js';
import type { ComposeFile, ComposeService } from './compose-file.js';
import type { ImageConfig } from './dockerfile.js';
import { PrivateNetwork, type Mount, type SealedProcess } from './sealed-process.js';
import { standIns, type StandIn } from './stand-ins.js';

const READY_TIMEOUT_MS = 240_000;
const LOOK_AGAIN_MS = 500;

export interface LocalEngineOptions {
  /** Everything it writes is below it. */
  readonly directory: string;
  readonly compose: ComposeFile;
  readonly images: ReadonlyMap<string, AssembledImage>;
  readonly configs: ReadonlyMap<string, ImageConfig>;
  /** Over those of docker-compose.yml, by service. */
  readonly environment?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Runs services of docker-compose.yml without a container engine: the assembled trees as read-only roots, the same commands, users, variables and
 * volumes, in one network that has nothing but loopback. What an engine does besides is not done: limits of memory, networks apart, a process 1.
 */
export class LocalEngine {
  private readonly running = new Map<string, GuardedProcess>();
  /** What was begun, so that it is not begun twice. */
  private readonly begun = new Map<string, Promise<void>>();

  private constructor(
    private readonly options: LocalEngineOptions,
    readonly network: PrivateNetwork,
    private readonly standIns: ReadonlyMap<string, StandIn>,
  ) {}

  static async open(options: LocalEngineOptions): Promise<LocalEngine> {
    const { directory, compose } = options;
    await mkdir(join(directory, 'logs'), { recursive: true });
    const names = Object.keys(compose.services);
    await writeFile(join(directory, 'hosts'), `127.0.0.1 localhost ${names.join(' ')}\n`);
    return new LocalEngine(options, await PrivateNetwork.open(directory), await standIns());
  }

  /** Starts services, what they depend on first, as `docker compose up` does; returns when those with a health check are healthy. */
  async up(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.once(name, () => this.bring(name))));
  }

  /** Ends one service. */
  async stop(name: string): Promise<void> {
    await this.running.get(name)?.stop();
    this.running.delete(name);
    this.begun.delete(name);
  }

  /** Ends everything, last started first. */
  async down(): Promise<void> {
    for (const name of [...this.running.keys()].reverse()) await this.stop(name);
    await this.network.close();
  }

  /** Runs a command in a service's container beside it, as `docker compose exec` does; gives what it printed. */
  exec(name: string, command: readonly string[]): Promise<string> {
    return this.sealed(name).then((sealed) => this.network.run({ ...sealed, command }));
  }

  /** Runs a tool of the file to its end, as `docker compose run --rm NAME ARGS` does; gives what it printed. */
  async runTool(name: string, args: readonly string[], input?: string): Promise<string> {
    const sealed = await this.sealed(name);
    return this.network.run({ ...sealed, command: [...sealed.command, ...args] }, input);
  }

  /** Process id of a service. */
  pid(name: string): number {
    const found = this.running.get(name);
    if (!found) throw new Error(`${name} does not run`);
    return found.pid;
  }

  /** Folder of this machine that a volume is. */
  volume(name: string): string {
    return join(this.options.directory, 'volumes', name);
  }

  /** What a service wrote. */
  log(name: string): Promise<string> {
    return readFile(this.logFile(name), 'utf8').catch(() => '');
  }

  private once(name: string, work: () => Promise<void>): Promise<void> {
    const begun = this.begun.get(name) ?? work();
    this.begun.set(name, begun);
    return begun;
  }

  private async bring(name: string): Promise<void> {
    const service = this.service(name);
    await this.awaitDependencies(service);
    this.running.set(name, await this.network.start(await this.sealed(name), this.logFile(name)));
    if (service.healthcheck) await this.untilHealthy(name, service.healthcheck.test.slice(1));
  }

  private async awaitDependencies(service: ComposeService): Promise<void> {
    const dependencies = Object.entries(service.depends_on ?? {}).map(([name, { condition }]) => {
      const isOnce = condition === 'service_completed_successfully';
      return this.once(name, () => (isOnce ? this.runToEnd(name) : this.bring(name)));
    });
    await Promise.all(dependencies);
  }

  private async runToEnd(name: string): Promise<void> {
    await this.awaitDependencies(this.service(name));
    await writeFile(this.logFile(name), await this.network.run(await this.sealed(name)));
  }

  private async untilHealthy(name: string, command: readonly string[]): Promise<void> {
    const standIn = this.standIns.get(name);
    const connect = `require('net').connect(${standIn?.port}, '127.0.0.1').once('connect', () => process.exit(0))`;
    const look = standIn
      ? () => this.network.runHere([process.execPath, '-e', connect])
      : () => this.exec(name, command);
    const seen = async (): Promise<unknown> =>
      look().catch(async (error: unknown) => {
        // Each look is a process, on a machine that has enough to do right now.
        await delay(LOOK_AGAIN_MS);
        throw new Error(`${name} is not healthy: ${(await this.log(name)).slice(-2_000)}`, { cause: error });
      });
    await eventually(seen, { timeoutMs: READY_TIMEOUT_MS });
  }

  private service(name: string): ComposeService {
    const found = this.options.compose.services[name];
    if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
    return found;
  }

  private async sealed(name: string): Promise<SealedProcess> {
    const service = this.service(name);
    const standIn = this.standIns.get(name);
    const mounts = [...(standIn?.mounts ?? []), ...(await this.mountsOf(service, standIn !== undefined))];
    const [user] = (service.user ?? '').split(':');
    const own = { ...service.environment, ...this.options.environment?.[name] };
    if (standIn) {
      return {
        root: '/',
        mounts,
        user: Number(user),
        workingDirectory: '/',
        environment: own,
        command: standIn.commandOf(service),
      };
    }
    const { image, config } = this.imageOf(service);
    return {
      root: image.out,
      mounts,
      user: Number(user),
      workingDirectory: config.workingDirectory,
      environment: { ...config.environment, ...own },
      command: [...(service.entrypoint ?? config.entrypoint), ...(service.command ?? [])],
    };
  }

  private imageOf(service: ComposeService): { readonly image: AssembledImage; readonly config: ImageConfig } {
    const name = /crate-([a-z-]+):/.exec(service.image)?.[1] ?? '';
    const image = this.options.images.get(name);
    const config = this.options.configs.get(name);
    if (!image || !config) throw new Error(`There is no image ${service.image}`);
    return { image, config };
  }

  private async mountsOf(service: ComposeService, isStandIn: boolean): Promise<readonly Mount[]> {
    const volumes = await Promise.all(
      (service.volumes ?? []).map((volume) => this.volumeOf(volume, Number(service.user?.split(':')[0]))),
    );
    const memory = (service.tmpfs ?? []).map((entry) => {
      const [target = '', options = 'mode=1777'] = entry.split(':');
      return { source: 'tmpfs', target, options };
    });
    const hosts = { source: join(this.options.directory, 'hosts'), target: '/etc/hosts', isReadOnly: true };
    if (!isStandIn) return [...memory, ...volumes, hosts];
    // Of this machine's folders only those that are there can be covered; and Postgres wants its user to have a name.
    const passwd = { source: join(this.options.images.get('init')?.out ?? '', 'etc/passwd'), target: '/etc/passwd' };
    return [...memory.filter(({ target }) => target === '/tmp'), ...volumes, hosts, passwd];
  }

  /** A volume that is new belongs to the user of the image, as an engine makes it. */
  private async volumeOf(volume: string, user: number): Promise<Mount> {
    const [source = '', target = '', mode] = volume.split(':');
    const isReadOnly = mode === 'ro';
    if (source.startsWith('.') || isAbsolute(source)) return { source: resolve(ROOT, source), target, isReadOnly };
    const folder = this.volume(source);
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await chown(folder, user, user);
    return { source: folder, target, isReadOnly };
  }

  private logFile(name: string): string {
    return join(this.options.directory, 'logs', `${name}.log`);
  }
}
