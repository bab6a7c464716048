import { setTimeout as delay } from 'node:timers/promises';
import type { Container } from '../kinds/container.js';
import { answers, type Probe } from './probes.js';

/** Before the first good answer a container is asked more often than its probes say, so that nobody waits for nothing. */
const STARTING_PERIOD_MS = 250;

export interface Health {
  readonly isStarted: boolean;
  readonly isReady: boolean;
}

/**
 * Asks one run of a container by its probes until `signal` fires, and tells each change.
 * Resolves with the probe that gave it up, which is then for the caller to end, or with nothing when `signal` fired.
 */
export async function watchHealth(
  container: Container,
  address: string,
  { onChange, signal }: { readonly onChange: (health: Health) => void; readonly signal: AbortSignal },
): Promise<'startup' | 'liveness' | undefined> {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  if (!(await started(container, address, startupProbe, signal))) return signal.aborted ? undefined : 'startup';
  const told = (isReady: boolean): void => onChange({ isStarted: true, isReady });
  told(readinessProbe === undefined);
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const readiness =
    readinessProbe && followReadiness(container, address, { probe: readinessProbe, told, signal: either });
  const isDead = livenessProbe
    ? await untilDead(container, address, livenessProbe, signal)
    : await untilAborted(signal);
  ended.abort();
  await readiness;
  return isDead ? 'liveness' : undefined;
}

interface Following {
  readonly probe: Probe;
  readonly told: (isReady: boolean) => void;
  readonly signal: AbortSignal;
}

/** Ready from the first good answer on, until as many bad ones in a row as the probe says. */
async function followReadiness(
  container: Container,
  address: string,
  { probe, told, signal }: Following,
): Promise<void> {
  let failures = 0;
  let isReady = false;
  while (!signal.aborted) {
    failures = (await answers(probe, container, address)) ? 0 : failures + 1;
    if (signal.aborted) return;
    const isNow: boolean = failures === 0 || (isReady && failures < probe.failureThreshold);
    if (isNow !== isReady) told((isReady = isNow));
    await pause(isReady ? periodMs(probe) : STARTING_PERIOD_MS, signal);
  }
}

/** True once as many answers in a row were bad as the probe bears, from its delay on; false when `signal` fired. */
async function untilDead(container: Container, address: string, probe: Probe, signal: AbortSignal): Promise<boolean> {
  await pause((probe.initialDelaySeconds ?? 0) * 1000, signal);
  for (let failures = 0; failures < probe.failureThreshold;) {
    await pause(periodMs(probe), signal);
    if (signal.aborted) return false;
    failures = (await answers(probe, container, address)) ? 0 : failures + 1;
  }
  return !signal.aborted;
}

async function untilAborted(signal: AbortSignal): Promise<false> {
  if (!signal.aborted)
    await new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
  return false;
}

async function started(
  container: Container,
  address: string,
  probe: Probe | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (!probe) return true;
  const deadline = performance.now() + periodMs(probe) * probe.failureThreshold;
  while (!signal.aborted && performance.now() < deadline) {
    if (await answers(probe, container, address)) return !signal.aborted;
    await pause(STARTING_PERIOD_MS, signal);
  }
  return false;
}

function periodMs(probe: Probe | undefined): number {
  return (probe?.periodSeconds ?? 10) * 1000;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
