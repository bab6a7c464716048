import type { Metrics } from '@crate/telemetry';
import type { TerraformSlots } from '@crate/terraform';

/** Tells how many Terraform runs go on in this process, and how many wait for their turn. */
export function observeSlots(metrics: Metrics, slots: TerraformSlots): void {
  metrics.gauge({
    name: 'crate_terraform_runs',
    help: 'Terraform runs of this process, by whether they run or wait for a slot.',
    labels: ['state'],
    collect: (gauge) => {
      gauge.set(slots.running, { state: 'running' });
      gauge.set(slots.waiting, { state: 'waiting' });
    },
  });
  metrics.gauge({
    name: 'crate_terraform_slots',
    help: 'Terraform runs that this process may have at a time.',
    collect: (gauge) => gauge.set(slots.limit),
  });
}
