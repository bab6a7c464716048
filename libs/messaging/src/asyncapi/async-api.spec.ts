import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServiceTokenIssuer } from '@crate/auth';
import type { ResourceApi } from '@crate/resource-client';
import type { MsgHdrs, NatsConnection } from '@nats-io/nats-core';
import { NatsServiceCaller } from '../call/nats-service-caller.js';
import { resourceMethods } from '../resources/resource-methods.js';
import type { PayloadSealer } from '../sealing/payload-sealer.js';
import { asyncApiDocument } from './async-api.js';
import { describedMethods } from './methods.js';

/** The parser is CommonJS that Jest cannot load as a module, so it judges in a process of its own. */
const PARSE = `
const { Parser } = require('@asyncapi/parser');
let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', async () => {
  const { document, diagnostics } = await new Parser().parse(text);
  const errors = diagnostics.filter(({ severity }) => severity === 0).map(({ message, path }) => path.join('.') + ': ' + message);
  console.log(JSON.stringify({ errors, channels: document ? document.allChannels().length : 0 }));
});`;

function parse(document: unknown): Promise<{ errors: string[]; channels: number }> {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, ['-e', PARSE], { cwd }, (error, stdout) => {
      if (error) return reject(new Error('The parser failed', { cause: error }));
      resolve(JSON.parse(stdout) as { errors: string[]; channels: number });
    });
    child.stdin?.end(JSON.stringify(document));
  });
}

describe('asyncApiDocument', () => {
  it('is valid by the parser of AsyncAPI', async () => {
    const { errors, channels } = await parse(asyncApiDocument('0.1.0'));
    expect(errors).toEqual([]);
    expect(channels).toBe(describedMethods().length + 3);
  });

  it('would be told of a mistake', async () => {
    const { errors } = await parse({ ...asyncApiDocument('0.1.0'), operations: { x: { action: 'shout' } } });
    expect(errors.join()).toContain('operations.x');
  });

  it('describes every method that services offer of their resources, and no other', () => {
    const closing = new AbortController().signal;
    const options = { api: {} as ResourceApi, closing, maxPayloadBytes: 1, secrecyOf: () => undefined };
    const described = describedMethods().map(({ name }) => name);
    const offered = Object.keys(resourceMethods(options));
    expect(described.filter((name) => name.startsWith('resources.')).sort()).toEqual(offered.sort());
  });

  it('names every header that a caller sends', async () => {
    let sent: readonly string[] = [];
    const request = (_subject: string, _payload: Uint8Array, options: { headers: MsgHdrs }): Promise<unknown> => {
      sent = options.headers.keys();
      return Promise.resolve({ json: () => ({ response: { ok: true, value: {} } }) });
    };
    const caller = new NatsServiceCaller(
      { request, status: () => [] } as unknown as NatsConnection,
      { issue: () => 'token' } as unknown as ServiceTokenIssuer,
      {} as PayloadSealer,
    );
    const origin = { address: '192.0.2.7' };
    await caller.call('cloud-mgmt', 'audit.state', {}, { caller: { user: 'ada', groups: [] }, traceId: 't', origin });
    const { components } = asyncApiDocument('0.1.0') as unknown as {
      components: { messageTraits: { call: { headers: { properties: object } } } };
    };
    expect(Object.keys(components.messageTraits.call.headers.properties).sort()).toEqual([...sent].sort());
  });

  it('takes the schemas that requests are checked by', () => {
    expect(describedMethods().find(({ name }) => name === 'resources.get')?.request).toMatchObject({
      type: 'object',
      required: ['ref'],
      properties: { ref: { properties: { group: { type: 'string' }, name: { type: 'string' } } } },
    });
  });

  it('says by what rows of the audit log are selected, or a service would answer with those of other Projects', () => {
    expect(describedMethods().find(({ name }) => name === 'audit.read')?.request).toMatchObject({
      required: ['after', 'limit'],
      properties: {
        conditions: { items: { properties: { field: { enum: expect.arrayContaining(['project', 'user']) } } } },
        since: { type: 'string' },
        until: { type: 'string' },
      },
    });
  });
});
