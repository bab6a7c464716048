import type { KubeObject } from '@crate/api';
import { hasCode, isPlatformError } from '@crate/errors';
import { GUARD_CHANGED, type StoreGuard } from '@crate/resource-store';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdmissionHook, AdmissionRequest } from '../kinds/served-kind.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';

/** What hooks made of an object, and what they warn of. */
export interface Admitted {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
  readonly guards: readonly StoreGuard[];
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
  for (const hook of hooks) {
    const result = await hook({ ...request, object });
    warnings.push(...(result?.warnings ?? []));
    guards.push(...(result?.guards ?? []));
    object = result?.object ?? object;
  }
  return { object, warnings, guards };
}

/** Decisions anew before a write gives up; each time, another one got through. */
const DECISIONS = 100;
const LONGEST_PAUSE_MS = 20;

/** Does `write` again, and with it its admission, while what it was decided on changes before it is stored. */
export async function untilGuarded<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isGuardChanged(error) || attempt === DECISIONS) throw error;
    }
    // Apart from each other, or all who wait would judge by the same state again.
    await delay(Math.random() * Math.min(attempt, LONGEST_PAUSE_MS));
  }
}

/** True when what a write was decided on has changed. */
export function isGuardChanged(error: unknown): boolean {
  return hasCode(error, 'Conflict') && isPlatformError(error) && error.details.reason === GUARD_CHANGED;
}
