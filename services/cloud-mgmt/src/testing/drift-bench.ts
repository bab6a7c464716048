import { randomUUID } from 'node:crypto';
import type { DriftPolicy, DriftStatus, Infrastructure } from '@crate/api';
import type { Outcome, ReconcileContext } from '@crate/reconcile';
import { TerraformSlots } from '@crate/terraform';
import type { DriftLookSubject } from '../drift/drift-look.js';
import { withFailure, withFound, type DriftRecord } from '../drift/drift-record.js';
import { DriftSettledPhase } from '../drift/drift-settled.phase.js';
import { DriftPhase } from '../drift/drift.phase.js';
import { putBack } from '../drift/found-drift-status.js';
import { InMemoryDriftRecordRepository } from '../drift/in-memory-drift-record.repository.js';
import { openScope, type InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { InMemoryTerraformRunRepository } from '../terraform-run/in-memory-terraform-run.repository.js';
import { aSpec } from './a-spec.js';
import { aContext } from './in-memory-cloud.js';

export const HOUR_MS = 3_600_000;

/** Somebody renamed the network. */
export const DRIFT: DriftStatus = {
  since: '2026-11-21T12:00:00Z',
  digest: '0123456789ab',
  resources: [
    { address: 'aws_vpc.vpc', type: 'aws_vpc', kind: 'changed', attributes: [{ path: 'name', wanted: 1, found: 2 }] },
  ],
  omitted: 0,
};

/** What an Infrastructure is when a pass begins. */
export interface Given {
  readonly policy?: DriftPolicy;
  readonly isApplied?: boolean;
  readonly annotations?: Record<string, string>;
  readonly generation?: number;
  /** Only the release made the stack another one. */
  readonly isReleased?: boolean;
  /** Nobody has asked for what a run would do. Default: where it is applied. */
  readonly isUnasked?: boolean;
  /** A run is to look all the same. */
  readonly isRunDue?: boolean;
  /** A sweep has asked. */
  readonly mustLook?: boolean;
  readonly stoppedMachines?: readonly string[];
  readonly approvedPlan?: Infrastructure['spec']['approvedPlan'];
}

/** The Infrastructure `u1`, whose cloud is compared every hour; what a comparison finds is played. */
export class DriftBench {
  now = new Date('2026-11-21T12:00:00Z');
  readonly runs = new InMemoryTerraformRunRepository(() => this.now);
  readonly records = new InMemoryDriftRecordRepository();
  readonly slots = new TerraformSlots(1);
  /** What the next look finds: a drift, nothing, a failure, or that it was overtaken. */
  next: DriftStatus | 'nothing' | 'failure' | 'overtaken' | Error = 'nothing';
  /** What the next look finds that the release would do unasked. */
  unasked: string | undefined;
  /** Why the next look keeps `correct` from putting it back. */
  held: DriftRecord['held'];
  /** Of the stack. */
  hash = 'h';
  looks: DriftLookSubject[] = [];
  private readonly parts = { records: this.records, now: () => this.now };
  private readonly compare = new DriftPhase({
    ...{ ...this.parts, slots: this.slots },
    look: { look: (subject: DriftLookSubject) => Promise.resolve().then(() => this.found(subject)) },
  });
  /** After a stack phase that has seen the runs so far. */
  readonly phase = {
    run: async (scope: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
      scope.runs = await this.runs.list('u1');
      return this.compare.run(scope, context);
    },
  };
  readonly note = new DriftSettledPhase({ ...this.parts, runs: this.runs });

  elapse(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }

  /** A run that changed something. */
  async applied(state: 'succeeded' | 'failed' = 'succeeded'): Promise<void> {
    const id = randomUUID();
    await this.runs.open({ id, infrastructureUid: 'u1', kind: 'apply', epoch: 1n, generation: 1 });
    await this.runs.savePlan(id, { summary: { add: 1, change: 0, remove: 0, import: 0 }, hasBegun: true });
    await this.runs.close(id, state);
  }

  /** A run whose plan was not let through. */
  async refused(generation: number): Promise<void> {
    const id = randomUUID();
    await this.runs.open({ id, infrastructureUid: 'u1', kind: 'apply', epoch: 1n, generation });
    await this.runs.savePlan(id, { summary: { add: 0, change: 1, remove: 0, import: 0 }, hasBegun: false });
    await this.runs.close(id, 'failed');
  }

  /** An Infrastructure that was built, and drifted by now. */
  async drifted(given: Given = {}, drift = DRIFT): Promise<void> {
    await this.pass(given);
    await this.applied();
    await this.pass(given);
    this.elapse(2 * HOUR_MS);
    this.next = drift;
    await this.pass({ ...given, policy: 'observe' });
    this.looks = [];
  }

  /** Both phases, with an apply between them where one is due. */
  async pass(given: Given = {}): Promise<{ scope: InfrastructureScope; outcome: Outcome; isRun: boolean }> {
    const scope = aDriftScope(given);
    scope.stack = { ...scope.stack!, hash: this.hash };
    const outcome = await this.phase.run(scope, aContext());
    if (outcome.kind === 'waiting') return { scope, outcome, isRun: false };
    const isRun = !scope.isApplied;
    if (isRun) {
      await this.applied();
      scope.isApplied = true;
    }
    return { scope, outcome: await this.note.run(scope, aContext()), isRun };
  }

  private found(subject: DriftLookSubject): DriftRecord | undefined {
    this.looks.push(subject);
    const { next, now } = this;
    const { record, stance } = subject;
    if (next instanceof Error) throw next;
    if (next === 'overtaken') return undefined;
    if (next === 'failure' && subject.isRequired) throw new Error('Too many');
    if (next === 'failure') return withFailure(record, { code: 'Throttled', message: 'Too many' }, now);
    // What is kept is left alone, and so is not found.
    const drift = next === 'nothing' ? putBack(record.drift, now) : next;
    const unasked = subject.isReleased || subject.isRefused ? this.unasked : undefined;
    return withFound(record, { drift, held: this.held, unasked, runId: record.runId, stance }, now);
  }
}

/** As the phases before leave it. */
export function aDriftScope({
  policy = 'observe',
  isApplied = true,
  annotations = {},
  generation = 1,
  isReleased = false,
  isUnasked = isApplied,
  isRunDue = false,
  mustLook = false,
  stoppedMachines = [],
  approvedPlan,
}: Given = {}): InfrastructureScope {
  const infrastructure = {
    metadata: { name: 'demo', namespace: 'team-a', uid: 'u1', generation, annotations },
    spec: aSpec('demo', { drift: { policy, everyMinutes: 60 }, ...(approvedPlan ? { approvedPlan } : {}) }),
  } as unknown as Infrastructure;
  const scope = openScope(infrastructure);
  scope.account = { status: { conditions: [{ type: 'Ready', status: 'True' }] } } as never;
  Object.assign(scope, { isReleased, isUnasked, isRunDue, mustLook, stoppedMachines });
  scope.stack = { document: { resource: { aws_vpc: { vpc: {} } } }, hash: 'h' };
  scope.stateSerial = 3;
  scope.isApplied = isApplied;
  return scope;
}
