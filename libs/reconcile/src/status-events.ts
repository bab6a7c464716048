import { isDeepStrictEqual } from 'node:util';
import { conditionMessage, findCondition, type Condition, type Failure, type KubeObject } from '@crate/api';
import { toPlatformError } from '@crate/errors';
import type { EventDraft, EventRecorder } from './event-recorder.js';
import type { Pass } from './outcome.js';

/** What is told when a condition moves; undefined: nothing. */
type Telling<T extends KubeObject> = (after: T, condition: Condition, before: T) => EventDraft | undefined;

/** What people are told of the conditions of a kind. */
export interface ConditionTellings<T extends KubeObject> {
  readonly [conditionType: string]: {
    readonly becameTrue?: Telling<T>;
    /** It was True before. */
    readonly becameUntrue?: Telling<T>;
    /** It was not False before, or for another reason. */
    readonly becameFalse?: Telling<T>;
  };
}

/** One pass as its events are made of it. */
export interface ToldPass<T extends KubeObject> {
  /** The object as the pass found it, and as it left it. */
  readonly before: T;
  readonly after: T;
  readonly pass: Pass;
  readonly traceId: string;
  /** The failure on show is told by somebody else already. */
  readonly isFailureKnown?: boolean;
}

interface Reported extends KubeObject {
  status?: { conditions?: Condition[] | undefined; failure?: Failure | undefined };
}

/**
 * Records what a pass changed in the conditions of an object, and that it failed. A pass that changed nothing and did not fail
 * records nothing; a failure that repeats is counted.
 */
export function recordPass<T extends KubeObject>(
  recorder: EventRecorder,
  tellings: ConditionTellings<T>,
  told: ToldPass<T>,
): void {
  const { after, traceId } = told;
  for (const draft of [...transitions(tellings, told), ...failures(told)])
    recorder.record(after, { ...draft, traceId });
}

/** A failure as an event: its stable code, what is wrong, where, and what to do. */
export function failureEvent({
  code,
  message,
  field,
  remedy,
}: Pick<Failure, 'code' | 'message' | 'field' | 'remedy'>): EventDraft {
  const where = field === undefined ? '' : `; field: ${field}`;
  const what = remedy === undefined ? '' : `; what to do: ${remedy}`;
  return { type: 'Warning', reason: code, message: `${message}${where}${what}` };
}

/** Names a few of many, so that the text stays short. */
export function nameSome(names: readonly string[], most = 5): string {
  const sorted = [...names].sort();
  if (sorted.length <= most) return sorted.join(', ');
  return `${sorted.slice(0, most).join(', ')} and ${sorted.length - most} more`;
}

function transitions<T extends KubeObject>(
  tellings: ConditionTellings<T>,
  { before, after }: ToldPass<T>,
): readonly EventDraft[] {
  const drafts = Object.entries(tellings).map(([type, telling]) => {
    const was = findCondition((before as Reported).status?.conditions, type);
    const is = findCondition((after as Reported).status?.conditions, type);
    const draft = is && tellingOf(telling, was, is)?.(after, is, before);
    return draft && { ...draft, message: shortened(draft.message) };
  });
  return drafts.filter((draft) => draft !== undefined);
}

/** A long text is cut where it says what is wrong: where that is and what to do stay whole. */
function shortened(text: string): string {
  const advice = /; (?:field|what to do): .*$/s.exec(text)?.[0] ?? '';
  return `${conditionMessage(text.slice(0, text.length - advice.length))}${advice}`;
}

function tellingOf<T extends KubeObject>(
  { becameTrue, becameUntrue, becameFalse }: ConditionTellings<T>[string],
  was: Condition | undefined,
  is: Condition,
): Telling<T> | undefined {
  if (is.status === 'True') return was?.status === 'True' ? undefined : becameTrue;
  if (was?.status === 'True' && becameUntrue) return becameUntrue;
  const isNewlyFalse = is.status === 'False' && (was?.status !== 'False' || was.reason !== is.reason);
  return isNewlyFalse ? becameFalse : undefined;
}

/** A pass that met a failure tells it each time, to be counted; one that is told by the status alone, when it is news. */
function failures({ before, after, pass, isFailureKnown }: ToldPass<KubeObject>): readonly EventDraft[] {
  const failure = (after as Reported).status?.failure;
  if (!failure || isFailureKnown) return [];
  // A lost race is nobody's failure.
  if (!pass.ok) return toPlatformError(pass.error).retry === 'now' ? [] : [failureEvent(failure)];
  return isDeepStrictEqual(causeOf(before), causeOf(after)) ? [] : [failureEvent(failure)];
}

function causeOf(object: KubeObject): unknown {
  const { traceId: _, ...cause } = (object as Reported).status?.failure ?? {};
  return cause;
}
