/** What a machine type has. */
export interface MachineSize {
  readonly cpus: number;
  readonly memoryMiB: number;
}

const GIB = 1024;
/** Memory per processor, in GiB, by the first letter of the family. */
const MEMORY_PER_CPU: Readonly<Record<string, number>> = { c: 2, g: 4, i: 8, m: 4, p: 8, r: 8, x: 16 };
const BURSTABLE: Readonly<Record<string, MachineSize>> = {
  nano: { cpus: 2, memoryMiB: GIB / 2 },
  micro: { cpus: 2, memoryMiB: GIB },
  small: { cpus: 2, memoryMiB: 2 * GIB },
  medium: { cpus: 2, memoryMiB: 4 * GIB },
  large: { cpus: 2, memoryMiB: 8 * GIB },
  xlarge: { cpus: 4, memoryMiB: 16 * GIB },
  '2xlarge': { cpus: 8, memoryMiB: 32 * GIB },
};

/** Size of a machine type such as `m5.large`; undefined for one that AWS does not have. */
export function sizeOf(machineType: string): MachineSize | undefined {
  const match = /^([a-z])\d[a-z]{0,3}\.(\w+)$/.exec(machineType);
  if (!match) return undefined;
  const [, family = '', size = ''] = match;
  if (family === 't') return BURSTABLE[size];
  const cpus = cpusOf(size);
  const perCpu = MEMORY_PER_CPU[family];
  if (cpus === undefined || perCpu === undefined) return undefined;
  return { cpus, memoryMiB: cpus * perCpu * GIB };
}

function cpusOf(size: string): number | undefined {
  if (size === 'medium') return 1;
  if (size === 'large') return 2;
  if (size === 'xlarge') return 4;
  const multiple = /^([1-9]\d?)xlarge$/.exec(size)?.[1];
  return multiple === undefined ? undefined : Number(multiple) * 4;
}
