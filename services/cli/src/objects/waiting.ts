import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@crate/api';
import { PlatformError, timeout } from '@crate/errors';
import type { ApiClient } from '../client/api-client.js';
import { isPassing } from '../client/passing.js';
import { ObjectProgress } from '../progress/object-progress.js';
import { blockersOf, stageOf } from './stage.js';

const LOOK_EVERY_MS = 1_000;
/** All the clusters of a platform are no burst of requests. */
const AT_ONCE = 10;

/** One object that is waited for. */
export interface Awaited {
  /** For people: `cluster/demo`. */
  readonly name: string;
  readonly path: string;
  /** Whether it is as wanted; undefined for one that is not there. */
  readonly holds: (object: KubeObject | undefined) => boolean;
  /** Whether it may be missing meanwhile; else that is an end, too. */
  readonly mayBeAbsent: boolean;
  /** What is said once it holds. */
  readonly done: string;
  /** Why it does not hold yet; absent: where the object is. */
  readonly explain?: (object: KubeObject) => string;
}

export interface WaitSettings {
  readonly timeoutMs: number;
  /** For people, behind the name of what is not: "is not Ready after 30s". */
  readonly late: string;
  readonly lookEveryMs?: number;
  readonly progress?: ObjectProgress;
}

interface Look {
  readonly each: Awaited;
  /** Absent: the platform could not say. */
  readonly seen?: { readonly object: KubeObject | undefined };
}

/**
 * Waits until all of them are as wanted, and shows how they come along; a platform that is away meanwhile is waited
 * for as well. Throws Timeout that says where the first of the others is, and NotFound for one that must be there.
 */
export async function waitForAll(api: ApiClient, awaited: readonly Awaited[], settings: WaitSettings): Promise<void> {
  const { timeoutMs, late, lookEveryMs = LOOK_EVERY_MS, progress = new ObjectProgress() } = settings;
  const until = Date.now() + timeoutMs;
  const view = new WaitView(progress);
  const done: Awaited[] = [];
  try {
    for (let left = awaited; ;) {
      const looks = await looksAt(api, left);
      const held = looks.filter(({ each, seen }) => seen !== undefined && each.holds(seen.object));
      done.push(...held.map(({ each }) => each));
      const others = looks.filter((each) => !held.includes(each));
      const [first] = others;
      if (!first) return;
      for (const each of others) view.show(each);
      if (Date.now() >= until) throw timeout(`${first.each.name} ${late}${whereIs(first)}`);
      left = others.map(({ each }) => each);
      await delay(Math.max(Math.min(lookEveryMs, until - Date.now()), 1));
    }
  } finally {
    progress.close();
    for (const each of done) console.log(each.done);
  }
}

async function looksAt(api: ApiClient, awaited: readonly Awaited[]): Promise<readonly Look[]> {
  const looks: Look[] = [];
  for (let at = 0; at < awaited.length; at += AT_ONCE) {
    looks.push(...(await Promise.all(awaited.slice(at, at + AT_ONCE).map(async (each) => look(api, each)))));
  }
  return looks;
}

async function look(api: ApiClient, each: Awaited): Promise<Look> {
  const seen = await api.find(each.path).then(
    (object) => ({ object }),
    (error: unknown) => {
      if (!isPassing(error)) throw error;
    },
  );
  if (!seen) return { each };
  if (!seen.object && !each.mayBeAbsent) throw new PlatformError('NotFound', `${each.name} is not there`);
  return { each, seen };
}

function whereIs({ each, seen }: Look): string {
  if (!seen) return ': the platform does not answer';
  if (!seen.object) return ': it is not there';
  const message = each.explain?.(seen.object) ?? stageOf(seen.object).message;
  return message === '' ? '' : `: ${message}`;
}

/** What a person sees while waiting: stages, and what is in the way, each once. */
class WaitView {
  private readonly told = new Set<string>();

  constructor(private readonly progress: ObjectProgress) {}

  show({ each: { name }, seen }: Look): void {
    if (!seen) return this.progress.show(name, { step: 0, steps: 0, message: 'The platform does not answer' });
    if (!seen.object) return;
    this.progress.show(name, stageOf(seen.object));
    for (const blocker of blockersOf(seen.object)) {
      if (!this.told.has(blocker)) this.progress.note(blocker);
      this.told.add(blocker);
    }
  }
}
