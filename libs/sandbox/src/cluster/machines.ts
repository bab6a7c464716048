/** What a simulated cluster must know of a machine in the simulated cloud. */
export interface SimulatedMachine {
  /** Identity in the cloud, such as `i-0123456789abcdef0`; never used again after the machine is gone. */
  readonly id: string;
  readonly privateAddress: string;
  readonly publicAddress?: string;
  readonly isRunning: boolean;
  /** Public half of the key pair it was started with, as a line of `authorized_keys`. */
  readonly authorizedKey?: string;
  readonly machineType: string;
  readonly cpus: number;
  readonly memoryMiB: number;
  readonly region: string;
  readonly zone: string;
}

/** Where a load balancer can be reached from this computer. */
export interface SimulatedLoadBalancer {
  readonly id: string;
  /** Loopback address that is this load balancer's alone. */
  readonly address: string;
  readonly port: number;
}

/** The simulated cloud, as simulated clusters see it. */
export interface Machines {
  /** Undefined once the machine is terminated. */
  find(id: string): SimulatedMachine | undefined;
  /**
   * The machine that answers at `address`. Private addresses repeat between networks:
   * `bastion` is the public address of a machine in the network that is meant. Without it `address` is a public one.
   */
  findByAddress(address: string, bastion?: string): SimulatedMachine | undefined;
  /** The load balancer with a listener whose targets include `port` of the machine. */
  findLoadBalancer(machineId: string, port: number): SimulatedLoadBalancer | undefined;
  /** Called after machines or load balancers came, went or changed; returns a function that stops it. */
  onChange(listener: () => void): () => void;
}
