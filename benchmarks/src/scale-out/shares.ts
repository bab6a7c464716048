import type { CratePlatform } from '@crate/testing';
import { usageOf } from '../processes/usage.js';

export const SERVICES: readonly string[] = ['lifecycle', 'cloud-mgmt', 'cluster-mgmt', 'policy-mgmt'];

/** What the processes of one name used and hold: the replicas of a service, or a server. */
export interface Share {
  /** Of itself; of servers with what they started, such as PostgreSQL's backends. */
  readonly cpuSeconds: number;
  /** Of programs that a service ran and that have ended, such as Terraform. */
  readonly programSeconds: number;
  readonly rssMiB: number;
}

export type Shares = Readonly<Record<string, Share>>;

const NOTHING: Share = { cpuSeconds: 0, programSeconds: 0, rssMiB: 0 };

/** Of all processes of a platform since each began, replicas of a service added up. */
export async function sharesOf(platform: CratePlatform): Promise<Shares> {
  const processes = Object.entries(await platform.processes());
  const usage = await usageOf(Object.fromEntries(processes.map(([name, { pid }]) => [name, pid])));
  const shares: Record<string, Share> = {};
  for (const [process, { cpuSeconds, endedChildrenSeconds, rssMiB }] of Object.entries(usage)) {
    const name = process.replace(/-\d+$/, '');
    const programSeconds = SERVICES.includes(name) ? endedChildrenSeconds : 0;
    const before = shares[name] ?? NOTHING;
    shares[name] = {
      cpuSeconds: before.cpuSeconds + cpuSeconds - programSeconds,
      programSeconds: before.programSeconds + programSeconds,
      rssMiB: before.rssMiB + rssMiB,
    };
  }
  return shares;
}

/** What was used between two looks, and what is held at the second. No process may have begun or ended in between. */
export function usedBetween(before: Shares, after: Shares): Shares {
  return Object.fromEntries(
    Object.entries(after).map(([name, { cpuSeconds, programSeconds, rssMiB }]) => {
      const { cpuSeconds: cpu, programSeconds: programs } = before[name] ?? NOTHING;
      return [name, { cpuSeconds: cpuSeconds - cpu, programSeconds: programSeconds - programs, rssMiB }];
    }),
  );
}

/** All of them together, or those named. */
export function sumOf(shares: Shares, names: readonly string[] = Object.keys(shares)): Share {
  return names
    .map((name) => shares[name] ?? NOTHING)
    .reduce(
      (sum, share) => ({
        cpuSeconds: sum.cpuSeconds + share.cpuSeconds,
        programSeconds: sum.programSeconds + share.programSeconds,
        rssMiB: sum.rssMiB + share.rssMiB,
      }),
      NOTHING,
    );
}

/** `cloud-mgmt 12.3 (145 MiB) + 80.1 of programs, …`, `scale` on times: what used the most first. */
export function sharesText(shares: Shares, scale = 1): string {
  const number = (seconds: number): string => (seconds * scale).toPrecision(3);
  return Object.entries(shares)
    .sort(([, one], [, other]) => other.cpuSeconds - one.cpuSeconds)
    .map(([name, { cpuSeconds, programSeconds, rssMiB }]) => {
      const programs = programSeconds > 0 ? ` + ${number(programSeconds)} of programs` : '';
      return `${name} ${number(cpuSeconds)}${programs} (${rssMiB.toFixed(0)} MiB)`;
    })
    .join(', ');
}
