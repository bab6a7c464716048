import { randomInt } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { badRequest, toPlatformError } from '@crate/errors';
import type { Pod } from '../kinds/pod.js';
import type { ClusterKey } from '../runtime/cluster-loop.js';
import { PodNetwork } from '../network/pod-network.js';
import { findRootlessWithHosts, findWithHosts, type WithHosts } from '../network/private-hosts.js';
import type { ClusterScope } from '../runtime/cluster-scope.js';
import { environmentOf, expanded, placed, type Places } from './container-environment.js';
import type { ImageCatalog, LocalImage } from './image-catalog.js';
import { LocalContainer, type ContainerState } from './local-container.js';
import { writeVolumes } from './pod-volumes.js';
import { isSupported } from './probes.js';

/** Why a pod does not start, in the words of `containerStatuses`; changes of what it names wake it. */
export interface Obstacle {
  readonly reason: 'CreateContainerConfigError';
  readonly message: string;
}

export interface LocalPodsOptions {
  readonly images: ImageCatalog;
  /** Directories of pods and claims are below it. */
  readonly directory: string;
  /** Called when a container of the pod changed. */
  readonly onChange: (key: ClusterKey) => void;
}

interface RunningPod {
  readonly uid: string;
  readonly containers: ReadonlyMap<string, LocalContainer>;
}

/** The pods of one simulated cluster whose images are programs of this machine, as processes with an address of loopback each. */
export class LocalPods {
  private readonly running = new Map<string, RunningPod>();
  /** Of names whose last process is on its way out; the next one of that name waits for it. */
  private readonly leaving = new Map<string, Promise<void>>();

  /** By what names they find each other. */
  readonly network: PodNetwork;

  constructor(private readonly options: LocalPodsOptions) {
    this.network = new PodNetwork(join(options.directory, 'hosts'));
  }

  /** Whether all containers of the pod are to be processes. */
  has({ spec }: Pod): boolean {
    return spec.containers.every(({ image }) => this.options.images.find(image) !== undefined);
  }

  /** Ends what runs under the name unless it is this pod; does not wait for it. */
  keepOnly(key: ClusterKey, uid: string | undefined): void {
    const id = idOf(key);
    const found = this.running.get(id);
    if (!found || found.uid === uid) return;
    this.running.delete(id);
    const left = this.end(found).finally(() => {
      if (this.leaving.get(id) === left) this.leaving.delete(id);
    });
    this.leaving.set(id, left);
  }

  /** Starts the pod's containers unless they run; gives what is in the way, if anything. The pod must have its address. */
  async ensure(pod: Pod, scope: ClusterScope): Promise<Obstacle | undefined> {
    const id = idOf(keyOf(pod));
    await this.leaving.get(id);
    if (this.running.has(id)) return undefined;
    try {
      const containers = await this.start(pod, scope);
      this.running.set(id, { uid: pod.metadata.uid, containers });
      return undefined;
    } catch (error) {
      return { reason: 'CreateContainerConfigError', message: toPlatformError(error).message };
    }
  }

  /** States of its containers by their names; undefined while it does not run. */
  observe(pod: Pod): ReadonlyMap<string, ContainerState> | undefined {
    const found = this.running.get(idOf(keyOf(pod)));
    if (found?.uid !== pod.metadata.uid) return undefined;
    return new Map([...found.containers].map(([name, container]) => [name, container.state]));
  }

  /** What its containers wrote last; undefined while it does not run. */
  logOf(pod: Pod, container: string | undefined): string | undefined {
    const found = this.running.get(idOf(keyOf(pod)));
    if (found?.uid !== pod.metadata.uid) return undefined;
    const chosen = [...found.containers].filter(([name]) => container === undefined || name === container);
    return chosen.flatMap(([, { log }]) => log.map((line) => `${line}\n`)).join('');
  }

  /** An address of loopback that no pod has; addresses of one machine's sandboxes are apart by chance. */
  freeAddress(isTaken: (address: string) => boolean): string {
    for (;;) {
      const address = `127.${randomInt(251, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
      if (!isTaken(address)) return address;
    }
  }

  /** Ends all of them and resolves when they are gone. */
  async close(): Promise<void> {
    const all = [...this.running.values()];
    this.running.clear();
    await Promise.all([...all.map((pod) => this.end(pod)), ...this.leaving.values()]);
    await this.network.close();
  }

  private async start(pod: Pod, scope: ClusterScope): Promise<ReadonlyMap<string, LocalContainer>> {
    refuseUnsupported(pod);
    const directory = this.directoryOf(pod.metadata.uid);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const ofClaims = join(this.options.directory, 'claims');
    const volumes = await writeVolumes(pod, scope, { ofPod: join(directory, 'volumes'), ofClaims });
    const planned = pod.spec.containers.map((container) => ({
      container,
      ...this.planOf(pod, container, { scope, volumes }),
    }));
    const enters = await Promise.all(planned.map(({ container }) => this.entrance(pod, container.image, scope)));
    // Nothing starts unless everything can.
    return new Map(
      planned.map((plan, index) => [
        plan.container.name,
        new LocalContainer({
          ...{
            ...plan,
            command: enters[index]?.(plan.command) ?? plan.command,
            directory,
            address: pod.status?.podIP ?? '',
          },
          graceMs: pod.spec.terminationGracePeriodSeconds * 1000,
          restartPolicy: pod.spec.restartPolicy,
          onChange: () => this.options.onChange(keyOf(pod)),
        }),
      ]),
    );
  }

  /** Has names of Services resolve in a process, where this machine allows that; elsewhere they do not, and it is told once a container. */
  private async entrance(
    { metadata }: Pod,
    image: string,
    scope: ClusterScope,
  ): Promise<((command: readonly string[]) => readonly string[]) | undefined> {
    const withHosts = await this.withHostsFor(image);
    if (!withHosts) {
      const { name, namespace } = metadata;
      scope.logger.warn('Names of Services do not resolve in a pod, as this machine allows no mount namespace', {
        ...{ name, namespace, reason: 'NoMountNamespace' },
      });
      return undefined;
    }
    const hostsFile = await this.network.enter(metadata.namespace ?? '', scope);
    return (command) => withHosts(hostsFile, command);
  }

  /** Throws BadRequest for a program that cannot run here at all. */
  private async withHostsFor(image: string): Promise<WithHosts | undefined> {
    if (!this.options.images.find(image)?.isRootless) return findWithHosts();
    const withHosts = await findRootlessWithHosts();
    if (withHosts || userInfo().uid !== 0) return withHosts;
    throw badRequest(
      `${image} refuses to run as root, and this machine allows no user namespace; run the sandbox as another user`,
    );
  }

  private planOf(
    pod: Pod,
    container: Pod['spec']['containers'][number],
    { scope, volumes }: { readonly scope: ClusterScope; readonly volumes: ReadonlyMap<string, string> },
  ): { readonly command: readonly string[]; readonly environment: Record<string, string> } {
    const image = this.options.images.find(container.image) as LocalImage;
    const mounted = (container.volumeMounts ?? []).map(
      ({ name, mountPath, subPath = '' }) => [mountPath, join(volumes.get(name) ?? '', subPath)] as const,
    );
    const places: Places = [...Object.entries(image.paths), ...mounted];
    const environment = environmentOf(container, pod, { scope, image, places });
    const values = new Map(Object.entries(environment));
    const here = (part: string): string => placedArgument(expanded(part, values), places);
    const own = container.command?.map(here) ?? image.command;
    return { command: [...own, ...(container.args ?? []).map(here)], environment };
  }

  private async end({ uid, containers }: RunningPod): Promise<void> {
    await Promise.all([...containers.values()].map((container) => container.stop()));
    await rm(this.directoryOf(uid), { recursive: true, force: true });
  }

  private directoryOf(uid: string): string {
    return join(this.options.directory, 'pods', uid);
  }
}

/** A path, also one behind `--name=`. */
function placedArgument(argument: string, places: Places): string {
  const [, flag = '', value = argument] = /^(-[^=]*=)(\/.*)$/.exec(argument) ?? [];
  return flag + placed(value, places);
}

/** Rather not started than started otherwise than asked for. */
function refuseUnsupported({ spec }: Pod): void {
  if ((spec.initContainers ?? []).length > 0) throw badRequest('The sandbox runs no init containers as processes');
  for (const { name, startupProbe, readinessProbe, livenessProbe, lifecycle } of spec.containers) {
    if ([startupProbe, readinessProbe, livenessProbe].every(isSupported) && !lifecycle) continue;
    throw badRequest(`Container ${name} has a probe or a hook that is neither HTTP nor TCP; the sandbox cannot ask it`);
  }
}

function keyOf({ metadata }: Pod): ClusterKey {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}

function idOf({ namespace, name }: ClusterKey): string {
  return `${namespace}/${name}`;
}
