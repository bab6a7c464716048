import type { KubeObject } from '@crate/api';
import { currentSpan, currentTraceparent, parseTraceparent } from '@crate/telemetry';
import type { WritePlan } from './write-plan.js';

/** Annotation by which those who send no header, such as pipelines with kubectl, say what trace a write belongs to. */
export const TRACEPARENT_ANNOTATION = 'crate.dev/traceparent';

/**
 * The `traceparent` that the work of a write belongs to: the one that the write itself annotates the object with, or else that of
 * whoever writes. An annotation that was there before says nothing: it belongs to an earlier write.
 */
export function causeOf(plan: WritePlan, object: KubeObject): string | undefined {
  const annotated = annotationOf(object);
  if (annotated === undefined || annotated === annotationOf(plan.before(object.metadata.uid)))
    return currentTraceparent();
  const place = parseTraceparent(annotated);
  if (!place) return currentTraceparent();
  currentSpan().link(place);
  return annotated.trim();
}

function annotationOf(object: KubeObject | undefined): string | undefined {
  return object?.metadata.annotations?.[TRACEPARENT_ANNOTATION];
}
