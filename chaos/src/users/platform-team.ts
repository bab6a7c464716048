import { ADDRESS_OF_CLASSES, isSuccess, MERGE, NOT_FOUND, type Asking } from './asking.js';
import type { Ledger } from './ledger.js';
import { CHAOS_CLASS, type ClassContent } from './user-action.js';

const CLASS = `${ADDRESS_OF_CLASSES}/${CHAOS_CLASS}`;

/** Those who publish a template that clusters are made of, and change it while clusters stand on it. */
export class PlatformTeam {
  constructor(
    private readonly asking: Asking,
    private readonly ledger: Ledger,
  ) {}

  /** Makes the class, or a new revision of it. */
  async publish(content: ClassContent): Promise<void> {
    const answer = await this.asking.ask({ method: 'PATCH', path: CLASS, body: { spec: content }, contentType: MERGE });
    if (answer.status !== NOT_FOUND) return this.note(answer);
    const body = {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'ClusterClass',
      metadata: { name: CHAOS_CLASS },
      spec: { parameters: PARAMETERS, ...content },
    };
    this.note(await this.asking.ask({ method: 'POST', path: ADDRESS_OF_CLASSES, body }));
  }

  /** Stops a rollout where it is, or lets it go on. Gives whether that was done or there is nothing to do it with. */
  async holdRollout(paused: boolean): Promise<boolean> {
    const body = { spec: { rollout: { paused } } };
    const answer = await this.asking.ask({ method: 'PATCH', path: CLASS, body, contentType: MERGE });
    this.note(answer);
    return isSuccess(answer) || answer.status === NOT_FOUND;
  }

  /** Gives whether there is no class any more. */
  async withdraw(): Promise<boolean> {
    const { status } = await this.asking.ask({ method: 'DELETE', path: CLASS });
    return status === NOT_FOUND;
  }

  private note(answer: Awaited<ReturnType<Asking['ask']>>): void {
    if (isSuccess(answer) && answer.body) this.ledger.note('stored', 'ClusterClass', answer.body);
  }
}

const PARAMETERS = {
  type: 'object',
  properties: { workers: { type: 'integer', minimum: 0, maximum: 5, default: 1 } },
};
