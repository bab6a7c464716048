import type { Caller } from '@crate/resource-client';
import type { AdmissionHook } from './served-kind.js';

/**
 * Puts back what anybody but the service itself takes off of its own finalizers: they go when what they hold is gone. Silently, so that
 * a document without finalizers still replaces an object. Finalizers of others are for others to take off.
 */
export function keepFinalizers(service: string, own: readonly string[]): AdmissionHook {
  return ({ operation, object, oldObject, context }) => {
    if (operation !== 'UPDATE' || isItself(service, context.caller)) return Promise.resolve();
    const before = oldObject?.metadata.finalizers ?? [];
    const stated = new Set(object.metadata.finalizers);
    if (before.every((each) => stated.has(each) || !own.includes(each))) return Promise.resolve();
    // In the order they had, so that what says the same is no change.
    const kept = before.filter((each) => stated.has(each) || own.includes(each));
    const finalizers = [...new Set([...kept, ...stated])];
    return Promise.resolve({ object: { ...object, metadata: { ...object.metadata, finalizers } } });
  };
}

/** A service that passes on what a person asks for has the person's name. */
function isItself(service: string, caller: Caller): boolean {
  return caller.service === service && caller.user === `system:${service}`;
}
