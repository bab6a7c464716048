import { randomUUID } from 'node:crypto';
import { AwsError, callError, type CallError } from './aws/aws-error.js';
import type { ResourceType, Scope } from './aws/resource-type.js';
import type { Faults } from './faults.js';
import type { HeldCalls } from './held-calls.js';
import { wait, type Latency, type LatencyAction } from './latency.js';

/** Share of a creation's latency before the object exists; the rest is waiting until it is available. */
const REQUEST_SHARE = 0.2;
const LONGEST_REQUEST_MS = 500;

/** One call of the provider. */
export interface CloudCall {
  readonly scope: Scope;
  readonly type: ResourceType;
  /** Fires when the caller is gone. */
  readonly signal?: AbortSignal;
}

interface NamedCall {
  readonly doing: string;
  readonly action: LatencyAction | 'read';
}

/** The way of a call to the cloud and back: what it takes, which faults it meets, and how a refusal is worded. */
export class RoundTrip {
  constructor(
    private readonly faults: Faults,
    private readonly held: HeldCalls,
    private readonly latency: Latency,
  ) {}

  /** Runs one call and words its refusal as the provider does. */
  async perform<T>({ type }: CloudCall, named: NamedCall, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      throw this.worded(type, named, error);
    }
  }

  /**
   * Sends a request: takes a part of the latency, then meets the faults in force. Gives what is left of the latency.
   * A caller that is gone by then has sent nothing.
   */
  async request({ scope, type, signal }: CloudCall, action: LatencyAction): Promise<number> {
    const total = this.latency.of(scope.account, type.name, action);
    const underway = Math.min(total * REQUEST_SHARE, LONGEST_REQUEST_MS);
    await wait(underway);
    await this.held.pass(scope, type.name, { action, moment: 'before' });
    if (signal?.aborted) throw new AwsError('RequestCanceled', 'canceled, context canceled', 0);
    this.faults.checkCall(scope, type, type.operations[action]);
    return total - underway;
  }

  /** Sends a call that only reads: those take no time, and are made though the caller is gone. */
  async look({ scope, type }: CloudCall): Promise<void> {
    await this.held.pass(scope, type.name, { action: 'read', moment: 'before' });
    this.faults.checkCall(scope, type, type.operations.read);
  }

  /** What is done is done; whoever asked does not know yet. */
  async answer({ scope, type }: CloudCall, action: LatencyAction | 'read'): Promise<void> {
    await this.held.pass(scope, type.name, { action, moment: 'after' });
  }

  private worded(type: ResourceType, { doing, action }: NamedCall, error: AwsError): CallError {
    const operation = type.operations[action];
    return callError({ doing, service: type.service, operation, requestId: randomUUID() }, error);
  }
}
