import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { CLUSTER } from '@crate/api';
import type { CallRecorder, CallSubject } from '@crate/audit';
import { toStatus, conflict } from '@crate/errors';
import { KindRegistry, LocalResourceApi, LocalResourceRouter, type Exchange } from '@crate/resource-server';
import { InMemoryResourceStore } from '@crate/resource-store';
import { auditFailures } from './audit-failures.js';

const PATH = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo';

/** What is recorded of a call that was refused. */
async function recordOf(method: string, query = '', body = '', isOver = false): Promise<CallSubject | undefined> {
  const kinds = new KindRegistry([{ definition: CLUSTER }]);
  const router = new LocalResourceRouter(kinds, new LocalResourceApi({ store: new InMemoryResourceStore(), kinds }));
  const headers = { 'content-type': 'application/json' };
  const silent = new Readable({ read: () => undefined });
  const request = Object.assign(isOver ? silent : Readable.from(body === '' ? [] : [Buffer.from(body)]), { headers });
  const exchange = {
    ...{ method, path: PATH, query: new URLSearchParams(query), request },
    context: {
      caller: { user: 'ada', groups: [] },
      traceId: 't',
      signal: isOver ? AbortSignal.abort() : new AbortController().signal,
    },
  } as unknown as Exchange;
  const recorded: CallSubject[] = [];
  const failure: CallRecorder['failure'] = (subject) => Promise.resolve(void recorded.push(subject));
  await auditFailures({ failure } as CallRecorder, router)(exchange, toStatus(conflict('no')));
  return recorded[0];
}

describe('a refused call is on record', () => {
  it.each([
    { name: 'a deletion that only tries, as kubectl says it', of: ['DELETE', '', '{"dryRun":["All"]}'], dryRun: true },
    { name: 'a deletion that only tries by its address', of: ['DELETE', 'dryRun=All', '{}'], dryRun: true },
    {
      name: 'a deletion whose body says otherwise than its address',
      of: ['DELETE', 'dryRun=All', '{"dryRun":[]}'],
      dryRun: false,
    },
    { name: 'a deletion with a body that nobody understands', of: ['DELETE', '', '{'], dryRun: false },
    { name: 'a write that only tries', of: ['PUT', 'dryRun=All'], dryRun: true },
    { name: 'a write with an empty parameter', of: ['PATCH', 'dryRun='], dryRun: false },
    { name: 'a write with a wrong one', of: ['PATCH', 'dryRun=Some'], dryRun: false },
  ] as const)('as $name', async ({ of: [method, query, body], dryRun }) => {
    expect(await recordOf(method, query, body)).toMatchObject({ name: 'demo', dryRun });
  });

  it('waits for no body once the call is over', async () => {
    expect(await recordOf('DELETE', '', '', true)).toMatchObject({ verb: 'delete', dryRun: false });
  });
});
