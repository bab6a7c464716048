import { randomUUID } from 'node:crypto';
import {
  apiVersionOf,
  INFRASTRUCTURE,
  toTimestamp,
  type CloudAccount,
  type Infrastructure,
  type PlanPreview,
} from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { PolicyReviewContext, PolicyReviewer } from '@crate/messaging';
import { createRedactor } from '@crate/process';
import type { TypedClient } from '@crate/resource-client';
import type { RecoveryState } from '@crate/service-host';
import {
  maskPlanDocument,
  type TerraformRunner,
  type TerraformRunOptions,
  type TerraformSlots,
  type TerraformState,
  type TerraformWorkspace,
} from '@crate/terraform';
import { withKept } from '../drift/kept-attributes.js';
import type { InfrastructureCloud, InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import type { InfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import { findLostResources } from '../infrastructure/lost-resources.js';
import { planReview } from '../policy/plan-review.js';
import { isDoubtful } from '../recovery/doubt.js';
import { isAskedToLook } from '../sweep/asked-owners.js';
import { adoptLost, mayHaveLost, type LostResources } from '../terraform-run/lost-adoption.js';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import type { TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';
import { isNothingLost, lastChange } from '../terraform-run/unbegun-run.js';
import { readPlan } from './plan-reading.js';
import { previewAnswer } from './preview-answer.js';

export interface PlanPreviewerParts {
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'find'>;
  readonly accounts: Pick<TypedClient<CloudAccount>, 'find'>;
  readonly stack: InfrastructureStack;
  readonly states: Pick<StateKeeper, 'find' | 'findSerial'>;
  readonly runs: Pick<TerraformRunRepository, 'list' | 'now'>;
  readonly clouds: InfrastructureClouds;
  readonly recovery: Pick<RecoveryState, 'findLast'>;
  readonly runner: Pick<TerraformRunner, 'openScratch'>;
  /** Of its own: looking ahead must not hold up what people wait for. */
  readonly slots: TerraformSlots;
  readonly policies: PolicyReviewer;
  /** Version that plans: another one may plan otherwise. */
  readonly release: string;
  /** Longest time of one preview, waiting for its turn included. */
  readonly timeoutMs: number;
}

/** An Infrastructure as somebody wishes for it. */
export interface Wish {
  readonly namespace: string;
  readonly name: string;
  readonly spec: Infrastructure['spec'];
  /** Plans to take everything away. */
  readonly destroy: boolean;
  /** As it would carry them; absent: those it has. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** What travels with a preview. */
export type PreviewContext = Omit<PolicyReviewContext, 'remoteSignal'> & { readonly signal?: AbortSignal };

interface Subject {
  readonly infrastructure: Infrastructure;
  /** Somebody has made it. */
  readonly isMade: boolean;
  readonly account: CloudAccount;
  readonly destroy: boolean;
}

/** A plan is sent in one message, and kept in one object. */
const MAX_CHARACTERS = 128 * 1024;

/**
 * Says what Terraform would do for an Infrastructure that somebody wishes for: a real plan over a copy of the newest stored state, with
 * what a lost run has made adopted as a run would. Nothing is stored, and no lock is taken. Throws what a run would throw, or Timeout.
 */
export class PlanPreviewer {
  constructor(private readonly parts: PlanPreviewerParts) {}

  async preview(wish: Wish, context: PreviewContext): Promise<PlanPreview> {
    const { timeoutMs, slots } = this.parts;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(context.signal ? [context.signal] : [])]);
    const subject = await this.subjectOf(wish);
    const release = await slots.acquire({ signal });
    try {
      return await this.plan(subject, { ...context, signal });
    } finally {
      release();
    }
  }

  private async subjectOf({ namespace, name, spec, destroy, labels }: Wish): Promise<Subject> {
    const found = await this.parts.infrastructures.find(name, namespace);
    const account = await this.parts.accounts.find(spec.accountRef.name, namespace);
    if (!account) {
      throw new PlatformError('Conflict', `CloudAccount "${spec.accountRef.name}" does not exist`, {
        details: { reason: 'CloudAccountNotFound', field: 'spec.accountRef.name' },
      });
    }
    const wished = found ? { ...found, spec } : madeUp(namespace, name, spec);
    const metadata = { ...wished.metadata, ...(labels ? { labels } : {}) };
    const infrastructure = { ...wished, metadata };
    return { infrastructure, isMade: found !== undefined, account, destroy };
  }

  private async plan(
    subject: Subject,
    context: PreviewContext & { readonly signal: AbortSignal },
  ): Promise<PlanPreview> {
    const { infrastructure, account } = subject;
    const { uid } = infrastructure.metadata;
    // Asked for first: a state stored meanwhile makes the plan look older than it is, never newer.
    const stateSerial = await this.parts.states.findSerial(uid);
    const state = await this.parts.states.find(uid);
    const cloud = this.parts.clouds.of(infrastructure, account);
    const lost = await this.findLost(subject, cloud, state, context.signal);
    const runtime = await cloud.openRuntime(context.signal);
    const workspace = await this.parts.runner.openScratch();
    try {
      await workspace.recover(state?.bytes);
      const options = { env: runtime.env, redact: runtime.secrets, signal: context.signal };
      // Imported into the copy: what the run would take for its own is not made anew.
      const adopted = lost ? await adoptLost(workspace, lost, options) : [];
      const document = await this.documentOf(subject, workspace, options);
      const aliases = this.parts.stack.aliases(infrastructure, account);
      const reading = readPlan(document, {
        aliases,
        ...createRedactor(runtime.secrets),
        maxCharacters: MAX_CHARACTERS,
      });
      const operation = subject.destroy ? 'DELETE' : stateSerial === undefined ? 'CREATE' : 'UPDATE';
      const as = { operation, caller: context.caller, dryRun: true } as const;
      const request = planReview(infrastructure, account.spec.provider, document, as);
      const review = await this.parts.policies.review(request, { ...context, remoteSignal: context.signal });
      const { release } = this.parts;
      return {
        ...previewAnswer(reading, adopted),
        account: `${account.spec.provider}/${account.spec.accountId}`,
        ...(stateSerial === undefined ? {} : { stateSerial }),
        review,
        release,
      };
    } finally {
      await workspace.remove();
      if (runtime.id !== undefined) await cloud.closeRuntime(runtime.id);
    }
  }

  /** What the run would find that the state does not know; undefined where it would not look. */
  private async findLost(
    { infrastructure, account, destroy, isMade }: Subject,
    cloud: InfrastructureCloud,
    state: TerraformState | undefined,
    signal: AbortSignal,
  ): Promise<LostResources | undefined> {
    if (!isMade) return undefined;
    const kind = destroy ? 'destroy' : 'apply';
    const runs = await this.parts.runs.list(infrastructure.metadata.uid);
    const [last] = runs;
    // A deletion takes all that there is, whoever asks.
    const isAsked =
      !destroy &&
      (isAskedToLook(infrastructure, account, last) ||
        isDoubtful(await this.parts.recovery.findLast(), lastChange(runs)));
    // A run that goes on is taken to come to its end.
    const isUnderWay = !destroy && last?.state === 'running';
    if (isUnderWay || !mayHaveLost({ kind, mustLook: isAsked }, last)) return undefined;
    await cloud.checkListing({ runs, now: await this.parts.runs.now() }, signal);
    const owned = await cloud.listOwned(signal);
    const leavesSurplus = isAsked || (!destroy && isNothingLost(runs));
    return findLostResources(this.parts.stack, { infrastructure, account, owned, state, kind, isAsked: leavesSurplus });
  }

  private async documentOf(
    { infrastructure, account, destroy }: Subject,
    workspace: TerraformWorkspace,
    options: TerraformRunOptions,
  ): Promise<Record<string, unknown>> {
    const { document } = this.parts.stack.synthesize(infrastructure, account);
    // What was left to whoever changed it is left alone by the run as well.
    await workspace.prepare(withKept(document, infrastructure.status?.drift?.kept ?? []), options);
    await workspace.plan({ ...options, destroy });
    return maskPlanDocument(await workspace.showPlan(options));
  }
}

/** An Infrastructure that nobody has made yet; its uid counts for nothing in a digest. */
function madeUp(namespace: string, name: string, spec: Infrastructure['spec']): Infrastructure {
  const creationTimestamp = toTimestamp(new Date());
  const metadata = { name, namespace, uid: randomUUID(), resourceVersion: '', generation: 0, creationTimestamp };
  return { apiVersion: apiVersionOf(INFRASTRUCTURE), kind: INFRASTRUCTURE.kind, metadata, spec };
}
