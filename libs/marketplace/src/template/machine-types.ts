/** What the temporary machine may be: 64-bit Intel or AMD with at least 8 GiB, first the usual one. */
export const INSTANCE_TYPES = ['t3.large', 't3.xlarge', 't3a.large', 't3a.xlarge', 'm6i.large', 'm7i.large'] as const;
