import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDir } from '../data-dir.js';
import { answersOk, program } from '../node-program.js';
import { findText, replaceFile } from '../secret-file.js';
import {
  extraInstanceOf,
  instancesOf,
  serviceEnvironment,
  type PlatformContext,
  type ServiceInstance,
} from '../services.js';
import type { LocalService } from '../service-order.js';
import type { Supervisor } from '../supervisor.js';
import { ComponentAgent, foundFile, ServiceSlots, type RunningSlot } from './component-agent.js';
import { Versions } from './versions.js';
import { readWanted } from './wanted.js';

export interface LocalComponentsOptions {
  readonly dir: DataDir;
  readonly context: PlatformContext;
  readonly services: readonly LocalService[];
  readonly replicas: number;
  readonly children: Supervisor;
  readonly say: (line: string) => void;
  /** Other processes run than before. */
  readonly onChange: () => Promise<void>;
}

/** Services of this computer, each process in the version that lifecycle wants. */
export class LocalComponents extends ServiceSlots {
  private readonly running = new Map<string, { readonly instance: ServiceInstance; readonly version: string }>();
  private readonly agent: ComponentAgent;

  private constructor(
    private readonly options: LocalComponentsOptions,
    private readonly versions: Versions,
  ) {
    super();
    const { dir, services, say } = options;
    this.agent = new ComponentAgent({ services, directory: dir.components(), versions, slots: this, say });
  }

  /** What an earlier release was asked for, and found, counts no more when `crate up` itself comes from another one. */
  static async open(options: LocalComponentsOptions): Promise<LocalComponents> {
    const { dir, services } = options;
    const versions = await Versions.open(dir.versions());
    const file = join(dir.components(), 'release');
    if ((await findText(file)) !== versions.own) {
      const said = services.flatMap((service) => [wantedFile(dir, service), foundFile(dir.components(), service)]);
      for (const path of said) await rm(path, { force: true });
      await replaceFile(file, versions.own, 0o600);
    }
    return new LocalComponents(options, versions);
  }

  /** Starts a process in the version that its service had last. */
  async startInstance(instance: ServiceInstance): Promise<void> {
    const { service, name } = instance;
    const wanted = await readWanted(wantedFile(this.options.dir, service));
    const present = await this.versions.present(service);
    const isThere = wanted !== undefined && present.includes(wanted.version);
    await this.run(instance, isThere ? wanted.version : this.versions.own, (started) =>
      this.options.children.startService(name, started),
    );
  }

  /** From here on versions change as lifecycle wants it. */
  start(): void {
    this.agent.start();
  }

  /** Versions change no more; processes go on. */
  async stop(): Promise<void> {
    await this.agent.stop();
  }

  override list(service: string): readonly RunningSlot[] {
    const { children, dir } = this.options;
    const own = [...this.running.values()].filter(({ instance }) => instance.service === service);
    return own.map(({ instance: { name, isExtra = false }, version }) => ({
      ...{ name, version, isExtra },
      restarts: children.restartsOf(name),
      logFile: dir.log(name),
    }));
  }

  override isReady(slot: string): Promise<boolean> {
    return answersOk(`http://127.0.0.1:${this.options.context.settings.healthPorts[slot]}/readyz`);
  }

  override extraName(service: string): string {
    return extraInstanceOf(service as LocalService, this.options.replicas).name;
  }

  override async startSlot(service: string, slot: string, version: string): Promise<void> {
    const { services, replicas, children } = this.options;
    const known = services.find((each) => each === service);
    if (!known) return;
    const regular = instancesOf([known], replicas).find(({ name }) => name === slot);
    await this.run(regular ?? extraInstanceOf(known, replicas), version, (started) =>
      children.replaceService(slot, started),
    );
    await this.options.onChange();
  }

  override async stopSlot(slot: string): Promise<void> {
    await this.options.children.stopService(slot);
    this.running.delete(slot);
    await this.options.onChange();
  }

  private async run(
    instance: ServiceInstance,
    version: string,
    start: (started: ReturnType<typeof program> & { readonly env: Record<string, string> }) => Promise<void>,
  ): Promise<void> {
    const env = { ...(await serviceEnvironment(instance, this.options.context)), ...this.filesOf(instance, version) };
    await start({ ...program(this.versions.entryOf(instance.service, version)), env });
    this.running.set(instance.name, { instance, version });
  }

  /** What a service reads comes from its own release. */
  private filesOf({ service }: ServiceInstance, version: string): Record<string, string> {
    if (service !== 'lifecycle' || version === this.versions.own) return {};
    const root = this.versions.rootOf(version);
    const console = join(root, 'services', 'console', 'dist');
    return {
      CRATE_ADD_ONS_DIR: join(root, 'deploy', 'add-ons'),
      ...(existsSync(join(console, 'index.html')) ? { CRATE_CONSOLE_DIR: console } : {}),
    };
  }
}

function wantedFile(dir: DataDir, service: string): string {
  return join(dir.components(), `${service}.wanted.json`);
}
