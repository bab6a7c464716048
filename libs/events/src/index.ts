export { EVENT_COLLECTION, eventName, TRACE_ANNOTATION, type Reporter } from './event-object.js';
export { EventRetention, type EventRetentionOptions } from './event-retention.js';
export { EventStream, type EventStreamOptions } from './event-stream.js';
export { servedEvents, servedEventsV1 } from './served-events.js';
export { StoredEventRecorder, type StoredEventRecorderOptions } from './stored-event-recorder.js';
