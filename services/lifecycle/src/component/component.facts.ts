import type { Component, ComponentName, PlatformService } from '@crate/api';
import type { ReleaseIndex } from '../release/release-index.js';
import type { Gate } from './component.gates.js';
import type { Installation } from './installer.js';
import { hasEnded } from './rejected.js';

/** What a pass knows of a component. */
export interface ComponentFacts {
  readonly component: Component;
  /** The other components, as they are stored. */
  readonly others: readonly Component[];
  /** Undefined where nobody here installs versions, or nothing is known yet. */
  readonly installation: Installation | undefined;
  /** Why the installer could not be asked, or did not do what it was told. */
  readonly trouble?: Gate | undefined;
  /** How the service says that it is; undefined while it was never heard of. */
  readonly service: PlatformService | undefined;
  /** Releases that are offered; undefined while nobody knows. */
  readonly index: ReleaseIndex | undefined;
  readonly now: Date;
}

export function nameOf({ metadata }: Component): ComponentName {
  return metadata.name as ComponentName;
}

/**
 * What counts as installed: what the installer says, or the one version that all replicas run, or what was known before. An upgrade under
 * way changes it when it is done. Pure.
 */
export function installedVersion({ component, installation, service }: ComponentFacts): string | undefined {
  const { rollout, installedVersion: known } = component.status ?? {};
  if (rollout) return rollout.from;
  if (installation) return installation.version;
  const versions = new Set(liveReplicas(service).map(({ version }) => version));
  const [only] = versions;
  return versions.size === 1 ? only : known;
}

/**
 * The version that it has to go to; undefined when it may stay, or when going there has come to an end, in whichever way, and the spec is
 * the same: what somebody installed after that from outside stays. Pure.
 */
export function pendingVersion(component: Component, installed: string | undefined): string | undefined {
  const { version } = component.spec;
  if (version === undefined || version === installed || hasEnded(component, version)) return undefined;
  return version;
}

/** Those that should be there: who ended in order, or was replaced, is not waited for. */
export function liveReplicas(service: PlatformService | undefined): PlatformService['replicas'] {
  return (service?.replicas ?? []).filter(({ state }) => state !== 'Stopped' && state !== 'Replaced');
}

/** What the components have, as far as that is known. */
export function platformVersions(components: readonly Component[]): readonly string[] {
  return components.flatMap(({ status }) => status?.installedVersion ?? []);
}
