import type { RunEvent } from '../rke-protocol.js';

/** A run as it goes; the one who takes the events may stop taking them, which stops the run after its current step. */
export type Run = AsyncGenerator<RunEvent, void>;

export function info(message: string): RunEvent {
  return { event: 'log', level: 'info', message };
}

export function warning(message: string): RunEvent {
  return { event: 'log', level: 'warning', message };
}

/** Work of the engine on some hosts. */
export interface EngineRun {
  /** Machines it works on; no other run may do so meanwhile. */
  readonly machineIds: readonly string[];
  /** Throws RunFailure. */
  run(): Run;
}

/** A failure the user reads as it is. */
export class RunFailure extends Error {}
