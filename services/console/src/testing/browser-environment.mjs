import { TestEnvironment } from 'jest-environment-jsdom';

/** What browsers have and jsdom leaves out. */
const MISSING = [
  'fetch',
  'Request',
  'Response',
  'Headers',
  'ReadableStream',
  'TextDecoderStream',
  'TextEncoder',
  'TextDecoder',
  'TransformStream',
  'structuredClone',
];

/** A document, with the streams and fetch of Node. */
export default class BrowserEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of MISSING) this.global[name] ??= globalThis[name];
  }
}
