import { COMPONENT, type Component } from '@crate/api';
import { forbidden, type PlatformError } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import { invalidObject, type AdmissionHook } from '@crate/resource-server';
import type { ReleaseIndex } from '../release/release-index.js';
import { nameOf, platformVersions } from './component.facts.js';
import type { Installer } from './installer.js';
import { versionProblems } from './release-choice.js';

export interface ComponentAdmissionParts {
  /** The service that components are made by. */
  readonly service: string;
  readonly components: Pick<TypedClient<Component>, 'list'>;
  /** Absent: versions are installed from outside. */
  readonly installer: Installer | undefined;
  readonly index: () => ReleaseIndex | undefined;
}

const FROM_OUTSIDE =
  'must be absent: versions are not installed from within here; upgrade the installation itself (docs/release/upgrading.md)';

/** Refuses versions that cannot be reached from the installed one, naming all that is in the way, and components that are none. */
export function componentAdmission(parts: ComponentAdmissionParts): AdmissionHook {
  return async ({ operation, object, oldObject, context }) => {
    if (operation === 'DELETE') return undefined;
    if (operation === 'CREATE' && context.caller.service !== parts.service) throw madeByCrate(object.metadata.name);
    const component = object as Component;
    const { version, channel } = component.spec;
    const before = (oldObject as Component | undefined)?.spec;
    if (version === undefined || (version === before?.version && channel === before.channel)) return undefined;
    const problems = await problemsOf(component, version, parts);
    if (problems.length > 0) throw invalid(component, problems);
    return undefined;
  };
}

async function problemsOf(
  component: Component,
  version: string,
  { components, installer, index }: ComponentAdmissionParts,
): Promise<readonly string[]> {
  const installed = component.status?.installedVersion;
  // Staying, and turning back, are always possible.
  if (version === installed) return [];
  if (!installer) return [FROM_OUTSIDE];
  if (installed === undefined) return ['cannot be judged: its replicas have not said yet which version they have'];
  const [all, installation] = await Promise.all([components.list(), installer.observe(nameOf(component))]);
  const found = versionProblems(version, {
    index: index(),
    channel: component.spec.channel,
    installed,
    platform: platformVersions(all),
    present: installation?.present ?? [],
  });
  return found.map(({ message, remedy }) => `${message}. ${remedy}`);
}

function invalid({ metadata }: Component, problems: readonly string[]): PlatformError {
  const errors = problems.map((message) => ({
    path: ['spec', 'version'],
    reason: 'FieldValueInvalid' as const,
    detail: message,
  }));
  return invalidObject({ group: COMPONENT.group, kind: COMPONENT.kind }, metadata.name, errors);
}

function madeByCrate(name: string): PlatformError {
  const message = `components "${name}" is forbidden: components are made by Crate, one for each of its services`;
  return forbidden(message, { group: COMPONENT.group, kind: COMPONENT.plural, name });
}
