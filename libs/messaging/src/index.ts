export { HintBus, ServiceCaller, type ChangeHint } from './bus.js';
