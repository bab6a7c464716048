import { z } from 'zod';

/** Clouds that Crate makes clusters in: AWS, and the one that the sandbox simulates. */
export const cloudProvider = z.enum(['aws', 'sandbox-aws']);

/** Machines of `sandbox-aws` are simulated, and nobody pays for them. */
export type CloudProviderName = z.output<typeof cloudProvider>;
