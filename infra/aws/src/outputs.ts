import type { InfrastructureOutputs } from '@crate/api';
import { invariant } from '@crate/errors';
import { z } from 'zod';

/** Names of the stack's outputs. */
export const OUTPUTS = {
  vpcId: 'vpc_id',
  apiHost: 'api_host',
  apiPort: 'api_port',
  bastionHost: 'bastion_host',
  egressAddresses: 'egress_addresses',
  machines: 'machines',
} as const;

const printed = z.record(z.string(), z.object({ value: z.unknown() }));

const outputs = z.object({
  [OUTPUTS.vpcId]: z.string().min(1),
  [OUTPUTS.apiHost]: z.string().min(1),
  [OUTPUTS.apiPort]: z.int(),
  [OUTPUTS.bastionHost]: z.string().min(1),
  // A stack that was applied by an older release has none.
  [OUTPUTS.egressAddresses]: z.array(z.ipv4()).optional(),
  [OUTPUTS.machines]: z.array(
    z.object({
      name: z.string(),
      group: z.string(),
      role: z.enum(['control-plane', 'worker']),
      instance_id: z.string(),
      private_ip: z.string(),
      zone: z.string(),
    }),
  ),
});

/**
 * Reads what `terraform output -json` printed. Throws Invariant when an output is missing: the stack always has them
 * all once it was applied in full.
 */
export function readAwsOutputs(terraformOutputs: unknown): InfrastructureOutputs {
  const values = printed.transform(unwrap).pipe(outputs).safeParse(terraformOutputs);
  if (!values.success) throw invariant(`Outputs are not those of the stack: ${z.prettifyError(values.error)}`);
  const { data } = values;
  return {
    vpcId: data.vpc_id,
    apiHost: data.api_host,
    apiPort: data.api_port,
    bastionHost: data.bastion_host,
    ...(data.egress_addresses === undefined ? {} : { egressAddresses: data.egress_addresses }),
    machines: data.machines.map(({ instance_id, private_ip, ...machine }) => ({
      ...machine,
      instanceId: instance_id,
      privateIp: private_ip,
    })),
  };
}

function unwrap(named: z.output<typeof printed>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(named).map(([name, { value }]) => [name, value]));
}
