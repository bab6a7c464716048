import type { KubeObject } from '@crate/api';
import { hasCode, isPlatformError } from '@crate/errors';
import { GUARD_CHANGED, type StoreGuard } from '@crate/resource-store';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdmissionHook, AdmissionRequest } from '../kinds/served-kind.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import { WriteAttempt } from './write-attempt.js';

/** What hooks made of an object, and what they warn of. */
export interface Admitted {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
  readonly guards: readonly StoreGuard[];
  readonly isReturn: boolean;
}

/** The object as the kind's hooks leave it. */
export async function runAdmission(kind: RegisteredKind, request: AdmissionRequest): Promise<Admitted> {
  return runHooks(kind.admit ?? [], request);
}

/** The object as the hooks leave it, each seeing what the one before made. */
export async function runHooks(hooks: readonly AdmissionHook[], request: AdmissionRequest): Promise<Admitted> {
  let { object } = request;
  const warnings: string[] = [];
  const guards: StoreGuard[] = [];
  let isReturn = false;
  for (const hook of hooks) {
    const result = await hook({ ...request, object });
    warnings.push(...(result?.warnings ?? []));
    guards.push(...(result?.guards ?? []));
    object = result?.object ?? object;
    isReturn ||= result?.isReturn ?? false;
  }
  return { object, warnings, guards, isReturn };
}

/** Decisions anew before a write gives up; each time, another one got through. */
const DECISIONS = 100;
const LONGEST_PAUSE_MS = 20;
/** What hooks answer that judge a write by something else. */
const REFUSALS = ['InvalidSpec', 'Forbidden', 'NotFound', 'Conflict'] as const;

export interface Deciding {
  /** Hooks may judge the first attempt by what they remember; `areStored` then says whether that is right. */
  readonly mayRemember?: boolean;
  readonly areStored: (guards: readonly StoreGuard[]) => Promise<boolean>;
}

/**
 * Does `write` again, and with it its admission, while what it was decided on changes before it is stored. What was refused for
 * something that was remembered wrongly is decided anew, too.
 */
export async function untilGuarded<T>(
  write: (attempt: WriteAttempt) => Promise<T>,
  { mayRemember = false, areStored }: Deciding,
): Promise<T> {
  for (let decisions = 1; ; decisions += 1) {
    const attempt = new WriteAttempt(mayRemember && decisions === 1);
    try {
      return await write(attempt);
    } catch (error) {
      const isAnother = isGuardChanged(error)
        ? decisions < DECISIONS
        : hasCode(error, ...REFUSALS) && !(await areStored(attempt.guards));
      if (!isAnother) throw error;
    }
    // Apart from each other, or all who wait would judge by the same state again.
    await delay(Math.random() * Math.min(decisions, LONGEST_PAUSE_MS));
  }
}

/** True when what a write was decided on has changed. */
export function isGuardChanged(error: unknown): boolean {
  return hasCode(error, 'Conflict') && isPlatformError(error) && error.details.reason === GUARD_CHANGED;
}
