import type { Progress } from '@crate/api';
import { RKE_STEPS } from '../engine/rke/rke-progress.js';

/** Progress of the whole work: what the engine does, and one more step for what comes after it. */
export function engineProgress(kind: 'up' | 'remove', part: Pick<Progress, 'step' | 'message'>): Progress {
  return { steps: RKE_STEPS[kind] + 1, ...part };
}

/** The engine is done, its last step is under way. */
export function afterEngineProgress(kind: 'up' | 'remove', message: string): Progress {
  return engineProgress(kind, { step: RKE_STEPS[kind], message });
}
