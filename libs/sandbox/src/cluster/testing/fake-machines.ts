import type { Machines, SimulatedLoadBalancer, SimulatedMachine } from '../machines.js';

/** A small cloud for tests: one network behind one bastion, one load balancer. */
export class FakeMachines implements Machines {
  readonly bastion = '198.18.0.1';
  private readonly machines = new Map<string, SimulatedMachine>();
  private readonly listeners = new Set<() => void>();
  private loadBalancer: SimulatedLoadBalancer | undefined;

  constructor(private readonly authorizedKey: string) {
    this.add({ id: 'i-bastion', privateAddress: '10.20.0.4', publicAddress: this.bastion });
  }

  /** Puts a machine in, or in the place of the one with its id. */
  add(machine: Pick<SimulatedMachine, 'id' | 'privateAddress'> & Partial<SimulatedMachine>): void {
    this.machines.set(machine.id, {
      isRunning: true,
      authorizedKey: this.authorizedKey,
      machineType: 'm5.large',
      cpus: 2,
      memoryMiB: 8192,
      region: 'us-east-1',
      zone: 'us-east-1a',
      ...machine,
    });
    this.changed();
  }

  change(id: string, change: Partial<SimulatedMachine>): void {
    const machine = this.machines.get(id);
    if (machine) this.add({ ...machine, ...change });
  }

  terminate(...ids: readonly string[]): void {
    for (const id of ids) this.machines.delete(id);
    this.changed();
  }

  balance(loadBalancer: SimulatedLoadBalancer | undefined): void {
    this.loadBalancer = loadBalancer;
    this.changed();
  }

  find(id: string): SimulatedMachine | undefined {
    return this.machines.get(id);
  }

  findByAddress(address: string, bastion?: string): SimulatedMachine | undefined {
    const all = [...this.machines.values()];
    if (bastion === undefined) return all.find(({ publicAddress }) => publicAddress === address);
    return bastion === this.bastion ? all.find(({ privateAddress }) => privateAddress === address) : undefined;
  }

  findLoadBalancer(machineId: string, port: number): SimulatedLoadBalancer | undefined {
    return port === 6443 && this.machines.has(machineId) ? this.loadBalancer : undefined;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
