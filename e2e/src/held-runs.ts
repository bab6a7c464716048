import type { CratePlatform } from '@crate/testing';

/** A call of the simulated cloud. */
export interface CloudCall {
  /** Of Terraform, such as `aws_vpc`. */
  readonly type: string;
  readonly action: 'create' | 'delete';
}

/** No run gets past such a call while `work` goes on: what is to be seen of a run is there until it was seen, however busy the machine. */
export async function whileHeld(platform: CratePlatform, call: CloudCall, work: () => Promise<void>): Promise<void> {
  const fault = ['--kind', 'hold', '--type', call.type, '--action', call.action];
  await platform.crate('sandbox', 'fault', 'set', 'held', ...fault);
  try {
    await work();
  } finally {
    await platform.crate('sandbox', 'fault', 'clear', 'held');
  }
}
