/** What a process held when so many requests were answered. */
export interface Sample {
  readonly requests: number;
  readonly mib: number;
}

export interface Growth {
  /** Slope of a line through the samples. */
  readonly bytesPerRequest: number;
  /** The mean of the last third over that of the first. */
  readonly ratio: number;
}

const BYTES_PER_MIB = 1024 * 1024;

/** How samples grow, by least squares. */
export function growthOf(samples: readonly Sample[]): Growth {
  const third = Math.ceil(samples.length / 3);
  const ratio = meanOf(samples.slice(-third), 'mib') / meanOf(samples.slice(0, third), 'mib');
  const [x, y] = [meanOf(samples, 'requests'), meanOf(samples, 'mib')];
  const covariance = sumOf(samples, ({ requests, mib }) => (requests - x) * (mib - y));
  const variance = sumOf(samples, ({ requests }) => (requests - x) ** 2);
  return { bytesPerRequest: (covariance / variance) * BYTES_PER_MIB, ratio };
}

function meanOf(samples: readonly Sample[], field: keyof Sample): number {
  return sumOf(samples, (sample) => sample[field]) / samples.length;
}

function sumOf(samples: readonly Sample[], value: (sample: Sample) => number): number {
  return samples.reduce((sum, sample) => sum + value(sample), 0);
}
