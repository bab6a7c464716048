import type { Component, PlatformService } from '@crate/api';
import {
  gone,
  recordPass,
  Reconciler,
  saveStatusIfChanged,
  settled,
  waiting,
  type EventRecorder,
  type Outcome,
  type ReconcileContext,
  type ReconcileKey,
} from '@crate/reconcile';
import type { TypedClient } from '@crate/resource-client';
import type { ReleaseIndex } from '../release/release-index.js';
import { nameOf, platformVersions, type ComponentFacts } from './component.facts.js';
import { COMPONENT_TELLINGS } from './component.events.js';
import { componentStatus } from './component.status.js';
import { nextStep, type Step } from './component.step.js';
import type { Installer } from './installer.js';
import { lookAt, troubleOf } from './installer-trouble.js';
import { availableVersions } from './release-choice.js';
import type { UpgradeLock } from './upgrade-lock.js';

export interface ComponentReconcilerParts {
  readonly components: Pick<TypedClient<Component>, 'find' | 'list' | 'saveStatus'>;
  /** Absent: versions are installed from outside, and only shown. */
  readonly installer: Installer | undefined;
  readonly lock: UpgradeLock;
  /** Makes a component where it is missing, if the platform has such a service. Idempotent. */
  readonly publish: (name: string) => Promise<void>;
  /** How each service is. */
  readonly services: () => Promise<readonly PlatformService[]>;
  readonly index: () => ReleaseIndex | undefined;
  readonly events: EventRecorder;
}

const UNDER_WAY_MS = 1_000;
const GATED_MS = 2_000;
/** How often it is looked what runs, while nothing is to be done. */
const IDLE_MS = 15_000;

/** Brings a component to the version that its spec names, a step a pass, and back again when that one is not well. */
export class ComponentReconciler extends Reconciler {
  override readonly name = 'component';

  constructor(private readonly parts: ComponentReconcilerParts) {
    super();
  }

  override async reconcile({ name }: ReconcileKey, { traceId }: ReconcileContext): Promise<Outcome> {
    const { components, lock, events } = this.parts;
    const before = await components.find(name);
    if (!before) return this.publishAnew(name);
    const facts = await this.look(before);
    // Told first: a pass that is killed afterwards comes to the same again, while one that has written its end is over.
    const step = await this.told(facts, await this.oneAtATime(before, nextStep(facts)));
    const status = componentStatus(facts, step, this.available(facts, step));
    const after = await saveStatusIfChanged(components, before, status);
    if (!step.rollout) await lock.release(name);
    recordPass(events, COMPONENT_TELLINGS, { before, after, pass: { ok: true, outcome: settled }, traceId });
    return outcomeOf(step, facts.now);
  }

  /** What it was upgraded to goes when the new one is looked at: it asks for no version. */
  private async publishAnew(name: string): Promise<Outcome> {
    await this.parts.lock.release(name);
    await this.parts.publish(name);
    return gone;
  }

  private async look(component: Component): Promise<ComponentFacts> {
    const { components, installer, services, lock } = this.parts;
    const name = nameOf(component);
    const [all, looked, known] = await Promise.all([components.list(), lookAt(installer, name), services()]);
    const others = all.filter(({ metadata }) => metadata.name !== name);
    const service = known.find((each) => each.name === name);
    return { component, others, ...looked, service, index: this.parts.index(), now: await lock.now() };
  }

  /** The step, or what is left of it when the installer does not take it. */
  private async told(facts: ComponentFacts, step: Step): Promise<Step> {
    if (!step.wanted) return step;
    try {
      await this.parts.installer?.ensure(nameOf(facts.component), step.wanted);
      return step;
    } catch (error) {
      return nextStep({ ...facts, trouble: troubleOf(error) });
    }
  }

  /** What two passes come to at the same time only one of them begins. */
  private async oneAtATime({ metadata, status }: Component, step: Step): Promise<Step> {
    const isNew = step.rollout !== undefined && status?.rollout === undefined;
    if (!isNew || (await this.parts.lock.acquire(metadata.name))) return step;
    const gate = { reason: 'WaitingForOther', message: 'Another component is being upgraded' };
    return { installed: step.installed, gate };
  }

  private available(facts: ComponentFacts, { installed }: Step): ReturnType<typeof availableVersions> {
    if (installed === undefined) return [];
    const { component, others, installation, index } = facts;
    return availableVersions({
      index,
      channel: component.spec.channel,
      installed,
      platform: platformVersions(others),
      present: installation?.present ?? [],
    });
  }
}

function outcomeOf({ rollout, gate }: Step, now: Date): Outcome {
  if (rollout && !gate) return waiting(rollout.step, UNDER_WAY_MS);
  if (!gate) return waiting('Looking', IDLE_MS);
  const leftMs = gate.opensAt ? gate.opensAt.getTime() - now.getTime() : GATED_MS;
  return waiting(gate.reason, Math.min(Math.max(leftMs, GATED_MS), IDLE_MS));
}
