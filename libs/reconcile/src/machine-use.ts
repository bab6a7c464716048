import { cpus } from 'node:os';

interface Ticks {
  readonly idle: number;
  readonly all: number;
}

/** How much of the processors is used, by whomever. Cheap: one read of what the kernel counts anyway. */
export class MachineUse {
  private seen = ticksOf(cpus());

  /** Share of all processors' time since the last call in which they had something to do: 0 to 1; 0 where nothing was counted meanwhile. */
  share(): number {
    const now = ticksOf(cpus());
    const idle = now.idle - this.seen.idle;
    const all = now.all - this.seen.all;
    this.seen = now;
    return all > 0 ? 1 - idle / all : 0;
  }
}

function ticksOf(processors: ReturnType<typeof cpus>): Ticks {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    idle: sum(processors.map(({ times }) => times.idle)),
    all: sum(processors.map(({ times }) => sum(Object.values(times)))),
  };
}
