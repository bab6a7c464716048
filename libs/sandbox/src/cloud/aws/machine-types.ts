import { vcpusOf } from '@crate/api';

/** What a machine type has. */
export interface MachineSize {
  readonly cpus: number;
  readonly memoryMiB: number;
}

const GIB = 1024;
/** Memory per processor, in GiB, by the letters of the family before its generation. */
const MEMORY_PER_CPU: Readonly<Record<string, number>> = { a: 2, c: 2, d: 8, i: 8, p: 8, r: 8, x: 16, z: 8 };
const USUAL_MEMORY_PER_CPU = 4;
/** Memory of burstable types, in GiB, by their size. */
const BURSTABLE: Readonly<Record<string, number>> = {
  nano: 0.5,
  micro: 1,
  small: 2,
  medium: 4,
  large: 8,
  xlarge: 16,
  '2xlarge': 32,
};

/** Size of a machine type such as `m5.large`; undefined for one that AWS does not have. */
export function sizeOf(machineType: string): MachineSize | undefined {
  const cpus = vcpusOf(machineType);
  if (cpus === undefined) return undefined;
  const [, letters = '', size = ''] = /^([a-z]+).*\.(.+)$/.exec(machineType) ?? [];
  const memory = letters === 't' ? BURSTABLE[size] : cpus * (MEMORY_PER_CPU[letters] ?? USUAL_MEMORY_PER_CPU);
  return memory === undefined ? undefined : { cpus, memoryMiB: memory * GIB };
}
