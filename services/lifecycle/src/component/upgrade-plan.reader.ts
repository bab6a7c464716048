import type { Component, PlatformService, UpgradePlan } from '@crate/api';
import { conflict } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { ReleaseIndex } from '../release/release-index.js';
import { nameOf, type ComponentFacts } from './component.facts.js';
import type { Installer } from './installer.js';
import { lookAt } from './installer-trouble.js';
import { newestVersion, upgradePlan } from './upgrade-plan.js';
import type { PlanUpgrade } from './upgrade-plan.route.js';

export interface PlanReaderParts {
  readonly components: Pick<TypedClient<Component>, 'list'>;
  /** Absent: versions are installed from outside. */
  readonly installer: Pick<Installer, 'observe'> | undefined;
  readonly services: () => Promise<readonly PlatformService[]>;
  readonly index: () => ReleaseIndex | undefined;
  readonly now?: () => Date;
}

/** Plans from what is there now. Changes nothing. Throws Conflict while nobody knows which versions run. */
export function upgradePlanReader(parts: PlanReaderParts): PlanUpgrade {
  const { now = () => new Date() } = parts;
  return async (to): Promise<UpgradePlan> => {
    const at = now();
    const components = await factsOfAll(parts, at);
    const target = to ?? newestVersion(components);
    if (target === undefined) throw nothingKnown();
    return upgradePlan(target, { components, hasInstaller: parts.installer !== undefined, now: at });
  };
}

async function factsOfAll(
  { components, installer, services, index }: PlanReaderParts,
  now: Date,
): Promise<readonly ComponentFacts[]> {
  const [all, known] = await Promise.all([components.list(), services()]);
  return Promise.all(
    all.map(async (component) => ({
      component,
      others: all.filter((other) => other !== component),
      ...(await lookAt(installer, nameOf(component))),
      service: known.find(({ name }) => name === nameOf(component)),
      index: index(),
      now,
    })),
  );
}

function nothingKnown(): Error {
  return conflict('Nobody knows yet which versions the services have', {
    reason: 'VersionUnknown',
    remedy: 'Look again in a minute; crate status --remote says who is silent',
  });
}
