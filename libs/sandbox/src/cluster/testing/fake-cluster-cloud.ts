import type { ClusterCloud, WantedLoadBalancer, WantedVolume } from '../cluster-cloud.js';

/** What controllers of a cluster made, by the machine they ran on. */
export class FakeClusterCloud implements ClusterCloud {
  readonly balancers = new Map<string, WantedLoadBalancer>();
  readonly volumes = new Map<string, WantedVolume>();
  /** Calls are refused while it is set. */
  refusal: Error | undefined;

  ensureLoadBalancer(_machine: string, wanted: WantedLoadBalancer): Promise<string> {
    return this.answer(() => {
      this.balancers.set(wanted.uid, wanted);
      return `${wanted.service}.elb.example`;
    });
  }

  removeLoadBalancer(_machine: string, uid: string): Promise<void> {
    return this.answer(() => void this.balancers.delete(uid));
  }

  ensureVolume(_machine: string, wanted: WantedVolume): Promise<string> {
    return this.answer(() => {
      this.volumes.set(`vol-${wanted.name}`, wanted);
      return `vol-${wanted.name}`;
    });
  }

  removeVolume(_machine: string, volumeId: string): Promise<void> {
    return this.answer(() => void this.volumes.delete(volumeId));
  }

  private async answer<T>(act: () => T): Promise<T> {
    await Promise.resolve();
    if (this.refusal) throw this.refusal;
    return act();
  }
}
