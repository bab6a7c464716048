export {
  CLUSTER_SCOPED_NAMESPACE,
  EVENT_COLLECTION,
  eventName,
  TRACE_ANNOTATION,
  type Reporter,
} from './event-object.js';
export { EventRetention } from './event-retention.js';
export { EventStream } from './event-stream.js';
export { servedEvents, servedEventsV1 } from './served-events.js';
export { StoredEventRecorder } from './stored-event-recorder.js';
