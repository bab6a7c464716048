import { availableParallelism } from 'node:os';
import { rounded, type Figure } from '../scenario.js';
import type { BareRun } from './bare-terraform.js';
import type { Creation } from './create-part.js';
import { atSize, type Idle } from './idle-part.js';
import type { Recovery } from './recovery-part.js';
import type { Restart } from './restart-part.js';
import { sharesText, sumOf } from './shares.js';

export type Figures = Readonly<Record<string, Figure>>;
export interface Told {
  readonly figures: Figures;
  readonly lines: readonly string[];
}

/** What is to be reached; those of idling are for a thousand clusters, of the services together. */
const TARGET = { overBare: 1.25, idleProcessors: 0.3, idleMiB: 1_024, recoverySeconds: 15 } as const;
const SIZES = [1_000, 5_000] as const;
/** What fewer clusters cost drowns in what processes do anyhow: a line through it would lead anywhere. */
const FEWEST = 20;

/** `bare`: the same stacks by Terraform alone, where they were measured. */
export function creationTold(creation: Creation, replicas: number, one: Creation | undefined, bare?: BareRun): Told {
  const { seconds, used, clusters } = creation;
  const all = sumOf(used);
  const cpuSeconds = all.cpuSeconds + all.programSeconds;
  const busy = cpuSeconds / seconds / availableParallelism();
  const figures = {
    allReady: { value: rounded(seconds), unit: 's', ...(bare ? { baseline: rounded(bare.seconds) } : {}) },
    perCluster: { value: rounded(cpuSeconds / clusters), unit: 'CPU s' },
    // Engines are programs, too.
    terraformShare: { value: rounded(sumOf(used, ['cloud-mgmt']).programSeconds / cpuSeconds), unit: 'ratio' },
    processorsBusy: { value: rounded(busy), unit: 'ratio' },
    queueWaitP99: { value: rounded(creation.waitP99), unit: 's' },
    clusterQueueWaitP99: { value: rounded(creation.clusterWaitP99), unit: 's' },
    ...(bare ? { overBare: { value: rounded(seconds / bare.seconds), unit: 'ratio', target: TARGET.overBare } } : {}),
    ...(one && one !== creation ? { speedUp: { value: rounded(one.seconds / seconds), unit: 'ratio' } } : {}),
  };
  const shares = sharesText(used, 1 / clusters);
  return {
    figures: named(`create-${replicas}`, figures),
    lines: [
      `${clusters} clusters, ${replicas} of each service: all Ready after ${seconds.toFixed(1)} s; ${(busy * 100).toFixed(0)} % of the processors`,
      `  processor seconds of a cluster: ${shares}`,
      ...(bare ? [bareLine(bare, clusters)] : []),
    ],
  };
}

function bareLine({ seconds, terraformSeconds, cloudSeconds }: BareRun, clusters: number): string {
  const each = (all: number): string => (all / clusters).toPrecision(3);
  return `  Terraform alone: ${seconds.toFixed(1)} s; processor seconds of a stack: terraform ${each(terraformSeconds)}, sandbox ${each(cloudSeconds)}`;
}

export function idleTold(none: Idle, some: Idle): Told {
  const figures = {
    processors: { value: rounded(some.processors), unit: 'processors', baseline: rounded(none.processors) },
    rss: { value: rounded(some.rssMiB), unit: 'MiB', baseline: rounded(none.rssMiB) },
    ...(some.clusters < FEWEST ? {} : { ...idleAt(SIZES[0], none, some), ...idleAt(SIZES[1], none, some) }),
  };
  const line = ({ clusters, used }: Idle): string =>
    `idle with ${clusters} clusters, processors of each: ${sharesText(used)}`;
  return { figures: named('idle', figures), lines: [line(none), line(some)] };
}

/** By the line through the two. */
function idleAt(size: number, none: Idle, some: Idle): Figures {
  const value = (of: 'processors' | 'rssMiB' | 'programProcessors'): number => rounded(atSize(none, some, size, of));
  const isGoal = size === SIZES[0];
  return {
    [`processorsAt${size}`]: {
      value: value('processors'),
      unit: 'processors',
      ...(isGoal ? { target: TARGET.idleProcessors } : {}),
    },
    [`rssAt${size}`]: { value: value('rssMiB'), unit: 'MiB', ...(isGoal ? { target: TARGET.idleMiB } : {}) },
    [`programsAt${size}`]: { value: value('programProcessors'), unit: 'processors' },
  };
}

export function restartTold({ readySeconds, sweepSeconds, passes, waitP99, rssMiB }: Restart): Told {
  const figures = {
    ready: { value: rounded(readySeconds), unit: 's' },
    sweep: { value: rounded(sweepSeconds), unit: 's' },
    passes: { value: passes, unit: 'passes' },
    queueWaitP99: { value: rounded(waitP99), unit: 's' },
    rss: { value: rounded(rssMiB), unit: 'MiB' },
  };
  const line = `restart: ready after ${readySeconds.toFixed(1)} s, ${passes} passes done ${sweepSeconds.toFixed(1)} s later`;
  return { figures: named('restart', figures), lines: [line] };
}

export function recoveryTold({ keys, seconds, readySeconds }: Recovery): Told {
  const figures = {
    takenOver: { value: rounded(seconds), unit: 's', target: TARGET.recoverySeconds },
    allReady: { value: rounded(readySeconds), unit: 's' },
    keys: { value: keys, unit: 'keys' },
  };
  const line = `kill -9 of a cloud-mgmt that worked on ${keys} keys: taken over after ${seconds.toFixed(1)} s, all Ready after ${readySeconds.toFixed(1)} s`;
  return { figures: named('recovery', figures), lines: [line] };
}

function named(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [`${prefix}.${name}`, figure]));
}
