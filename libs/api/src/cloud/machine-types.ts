/** Types whose size does not follow from their name. Source: https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html */
const VCPUS: Readonly<Record<string, number>> = {
  't1.micro': 1,
  't2.nano': 1,
  't2.micro': 1,
  't2.small': 1,
  'm1.small': 1,
  'm1.medium': 1,
  'm2.xlarge': 2,
  'm2.2xlarge': 4,
  'm2.4xlarge': 8,
  'm3.medium': 1,
  'c1.medium': 2,
  'c1.xlarge': 8,
  'c4.8xlarge': 36,
  'd2.8xlarge': 36,
  'hpc6a.48xlarge': 96,
  'hpc6id.32xlarge': 64,
  'hpc7a.12xlarge': 24,
  'hpc7a.24xlarge': 48,
  'hpc7a.48xlarge': 96,
  'hpc7a.96xlarge': 192,
  'm5.metal': 96,
  'm5d.metal': 96,
  'm5n.metal': 96,
  'm5zn.metal': 48,
  'm6g.metal': 64,
  'm6i.metal': 128,
  'm7g.metal': 64,
  'c5.metal': 96,
  'c5d.metal': 96,
  'c5n.metal': 72,
  'c6g.metal': 64,
  'c6i.metal': 128,
  'c7g.metal': 64,
  'r5.metal': 96,
  'r5d.metal': 96,
  'r6g.metal': 64,
  'r6i.metal': 128,
  'r7g.metal': 64,
  'i3.metal': 72,
  'i3en.metal': 96,
  'i4i.metal': 128,
  'g4dn.metal': 96,
  'g5g.metal': 64,
  'z1d.metal': 48,
};

const BURSTABLE = /^t\d{1,2}[a-z]*$/;
/** Such as m5, m7i-flex, u7i-12tb, p6-b200 by its chip, and u-6tb1. */
const FAMILY = /^(?:[a-z]{1,3}\d{1,2}[a-z]*(?:-flex|-\d+tb|-[a-z]{1,2}\d{3})?|u-\d+tb1)$/;
const SMALL: Readonly<Record<string, number>> = { medium: 1, large: 2, xlarge: 4 };
/** Such as 24xlarge, and metal-24xl of the same size. */
const MULTIPLE = /^(?:([1-9]\d{0,2})xlarge|metal-([1-9]\d{0,2})xl)$/;

/** Virtual CPUs of a machine type of AWS, such as 4 for `m5.xlarge`; undefined for what is none. */
export function vcpusOf(machineType: string): number | undefined {
  if (Object.hasOwn(VCPUS, machineType)) return VCPUS[machineType];
  const [family = '', size = '', ...rest] = machineType.split('.');
  if (!FAMILY.test(family) || rest.length > 0) return undefined;
  // The small ones of a burstable family have two, whatever they are called.
  if (BURSTABLE.test(family) && ['nano', 'micro', 'small', 'medium'].includes(size)) return 2;
  if (Object.hasOwn(SMALL, size)) return SMALL[size];
  const [, virtual, metal] = MULTIPLE.exec(size) ?? [];
  const multiple = virtual ?? metal;
  return multiple === undefined ? undefined : Number(multiple) * 4;
}

/** Processor architectures, as images are named after them. */
export type Architecture = 'amd64' | 'arm64';

/** Families with a "g" behind their generation, such as m6g and c7gn, have Arm processors, and so do the first of them, a1, and those of GB chips. */
const ARM = /^(a1|[a-z]+\d+[a-z]*g[a-z]*|[a-z]+\d+[a-z]*-gb\d+)\./;

/** What the processors of a machine type of AWS are, such as `arm64` for `m6g.large`. */
export function architectureOf(machineType: string): Architecture {
  return ARM.test(machineType) ? 'arm64' : 'amd64';
}
