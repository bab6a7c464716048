import type { ReplicaReport } from '@crate/api';
import { liveReplicas, type ComponentFacts } from './component.facts.js';
import type { InstalledSlot } from './installer.js';

/** Whether a version does what it should. */
export type Health =
  | { readonly isWell: true }
  | {
      readonly isWell: false;
      /** It will not become well by waiting. */
      readonly isHopeless: boolean;
      readonly reason: string;
      readonly message: string;
    };

/** A process that ended this often by itself since it began will do so again. */
const HOPELESS_RESTARTS = 3;

/** What a version has to show. */
export interface Expected {
  readonly version: string;
  /** Slots that run it, and are ready. */
  readonly slots: 'Canary' | 'All';
}

/**
 * How a version stands, by two witnesses: the installer, who looks at processes, and the replicas themselves, who say what they reach.
 * Reasons: `Crashing`, `NotInstalled`, `NotReady`, `Silent`. Pure.
 */
export function healthOf(facts: ComponentFacts, { version, slots }: Expected): Health {
  const all = facts.installation?.slots ?? [];
  const own = all.filter((slot) => slot.version === version);
  const crashing = own.find(({ restarts }) => restarts >= HOPELESS_RESTARTS);
  if (crashing) {
    const words = crashing.lastWords ? `: ${crashing.lastWords}` : '';
    return ill('Crashing', `${crashing.name} of ${version} ended ${crashing.restarts} times${words}`, true);
  }
  const expected = slots === 'Canary' ? all.filter(({ isCanary }) => isCanary) : all;
  const missing = expected.filter((slot) => slot.version !== version || !slot.isReady);
  if (expected.length === 0 || missing.length > 0) return ill('NotInstalled', notInstalled(missing, version));
  return healthOfReplicas(facts, version, expected.length);
}

function notInstalled(missing: readonly InstalledSlot[], version: string): string {
  const names = missing.map(({ name }) => name).join(', ');
  const words = missing.find((slot) => slot.version === version && slot.lastWords)?.lastWords;
  return `${names || 'The first replica'} is not ready with ${version} yet${words === undefined ? '' : `: ${words}`}`;
}

function healthOfReplicas({ service }: ComponentFacts, version: string, atLeast: number): Health {
  if (!service?.answered) return ill('Silent', service?.message ?? 'Nobody answers for it');
  const own = liveReplicas(service).filter((replica) => replica.version === version);
  const bad = own.find(({ state }) => state !== 'Ready');
  if (bad) return ill(bad.state === 'Silent' ? 'Silent' : 'NotReady', `${bad.name} of ${version}: ${why(bad)}`);
  if (own.length < atLeast)
    return ill('NotReady', `${own.length} of ${atLeast} replicas say that they have ${version}`);
  return { isWell: true };
}

function why({ state, checks }: ReplicaReport): string {
  const failing = checks.filter(({ ok }) => !ok).map(({ name, message }) => `${name}: ${message ?? 'fails'}`);
  return state === 'NotReady' && failing.length > 0 ? failing.join('; ') : 'says nothing any more';
}

function ill(reason: string, message: string, isHopeless = false): Health {
  return { isWell: false, isHopeless, reason, message };
}
