import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallContext, ResourceRef, ResourceType } from '@crate/resource-client';

/** What a call asks for, before anything is known of its outcome. */
export interface CallSubject {
  readonly verb: string;
  readonly type: ResourceType;
  readonly kind?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
}

/** One call under way. The store's witness finds it in the asynchronous context. */
export class AuditedCall {
  /** Set once a write of the call was handed to the database together with its record. */
  isWitnessed = false;

  constructor(
    readonly subject: CallSubject,
    readonly context: CallContext,
  ) {}
}

const storage = new AsyncLocalStorage<AuditedCall>();

/** Runs `work` as this call: writes inside of it are recorded as its doing. */
export function runAsCall<T>(call: AuditedCall, work: () => Promise<T>): Promise<T> {
  return storage.run(call, work);
}

/** The call at hand; undefined outside of one. */
export function currentCall(): AuditedCall | undefined {
  return storage.getStore();
}

/** The subject of a call about one object. */
export function subjectOf(verb: string, ref: ResourceRef, more: Partial<CallSubject> = {}): CallSubject {
  const { group, version, plural, namespace, name } = ref;
  return { verb, type: { group, version, plural }, name, ...(namespace === undefined ? {} : { namespace }), ...more };
}
