import { describe, expect, it } from '@jest/globals';
import { conflict, timeout, unavailable } from '@crate/errors';
import { runPhases, settled, waiting, type Outcome, type Phase, type ReconcileContext } from './index.js';

function contextOf(remoteSignal = new AbortController().signal, lost?: AbortSignal): ReconcileContext {
  return { remoteSignal, signal: remoteSignal, ...(lost ? { lost } : {}), epoch: 1n, traceId: 't' };
}

/** Phases that leave their name behind. */
function phase(name: string, end: () => Promise<never> | Outcome): Phase<string[]> {
  return async (scope) => {
    scope.push(name);
    return end();
  };
}

describe('runPhases', () => {
  it.each([
    {
      name: 'all settle',
      middle: () => settled,
      want: { ran: ['a', 'b', 'c'], pass: { ok: true, outcome: settled } },
    },
    {
      name: 'one waits',
      middle: () => waiting('WaitingForNodes', 5),
      want: {
        ran: ['a', 'b'],
        pass: { ok: true, outcome: { kind: 'waiting', reason: 'WaitingForNodes', retryAfterMs: 5 } },
      },
    },
    {
      name: 'one fails',
      middle: () => Promise.reject(unavailable('Away')),
      want: { ran: ['a', 'b'], pass: { ok: false, error: expect.objectContaining({ code: 'Unavailable' }) } },
    },
  ])('stops where it must when $name', async ({ middle, want }) => {
    const ran: string[] = [];
    const phases = [phase('a', () => settled), phase('b', middle), phase('c', () => settled)];

    expect(await runPhases(phases, ran, contextOf())).toEqual(want.pass);
    expect(ran).toEqual(want.ran);
  });

  it('begins no phase after the lease was lost, also when the one before took no notice', async () => {
    const lost = new AbortController();
    const ran: string[] = [];
    const deaf = phase('a', () => {
      lost.abort(conflict('The lease was lost'));
      return settled;
    });

    const pass = await runPhases([deaf, phase('b', () => settled)], ran, contextOf(lost.signal, lost.signal));
    expect(pass).toEqual({ ok: false, error: expect.objectContaining({ code: 'Conflict', retry: 'now' }) });
    expect(ran).toEqual(['a']);
  });

  it('goes on past the deadline of the pass when the phase under way took no notice: its lease is renewed still', async () => {
    const [deadline, ran]: [AbortController, string[]] = [new AbortController(), []];
    const deaf = phase('a', () => {
      deadline.abort(timeout('Took longer than 75 s'));
      return settled;
    });

    const pass = await runPhases(
      [deaf, phase('b', () => settled)],
      ran,
      contextOf(deadline.signal, new AbortController().signal),
    );
    expect(pass).toEqual({ ok: true, outcome: settled });
    expect(ran).toEqual(['a', 'b']);
  });

  it('tells why a call was aborted', async () => {
    const signal = AbortSignal.abort(timeout('Took longer than 60 s'));
    const aborted = phase('a', () => Promise.reject(new DOMException('This operation was aborted', 'AbortError')));

    expect(await runPhases([aborted], [], contextOf(signal))).toMatchObject({ ok: false, error: { code: 'Timeout' } });
  });
});
