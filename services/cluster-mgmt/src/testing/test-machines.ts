/** A machine that a simulated cluster can run on; see the sandbox's `Machines`. */
export interface TestMachine {
  readonly id: string;
  readonly privateAddress: string;
  readonly publicAddress?: string;
  readonly isRunning: boolean;
  readonly authorizedKey: string;
  readonly machineType: string;
  readonly cpus: number;
  readonly memoryMiB: number;
  readonly region: string;
  readonly zone: string;
}

const BASTION = '198.51.100.1';

/** A small cloud: machines behind one bastion, each cluster with a load balancer of its own. */
export class TestMachines {
  private readonly machines = new Map<string, TestMachine>();
  private readonly listeners = new Set<() => void>();

  /** `lbPort` is where the cluster's API is to be reached on 127.0.0.1. */
  constructor(private readonly lbPort: number) {}

  /** Machines with these private addresses, started with this key; others go. */
  set(addresses: readonly string[], authorizedKey: string): void {
    this.machines.clear();
    const rest = {
      isRunning: true,
      authorizedKey,
      machineType: 'm5.large',
      cpus: 2,
      memoryMiB: 8192,
      region: 'us-east-1',
      zone: 'a',
    };
    this.machines.set('i-bastion', { id: 'i-bastion', privateAddress: '10.20.0.4', publicAddress: BASTION, ...rest });
    for (const privateAddress of addresses) {
      const id = `i-${privateAddress.replaceAll('.', '-')}`;
      this.machines.set(id, { id, privateAddress, ...rest });
    }
    for (const listener of this.listeners) listener();
  }

  find(id: string): TestMachine | undefined {
    return this.machines.get(id);
  }

  findByAddress(address: string, bastion?: string): TestMachine | undefined {
    const all = [...this.machines.values()];
    if (bastion === undefined) return all.find((machine) => machine.publicAddress === address);
    return bastion === BASTION ? all.find((machine) => machine.privateAddress === address) : undefined;
  }

  findLoadBalancer(machineId: string, port: number): { id: string; address: string; port: number } | undefined {
    if (port !== 6443 || !this.machines.has(machineId)) return undefined;
    return { id: 'lb', address: '127.0.0.1', port: this.lbPort };
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
