import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { stopSignal } from './stop-signal.js';

function start(): { send: (name: string, afterMs?: number) => void; signal: AbortSignal; exits: number[] } {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  let now = 0;
  const signal = stopSignal(
    emitter as unknown as Pick<NodeJS.Process, 'on'>,
    (code) => exits.push(code),
    () => now,
  );
  const send = (name: string, afterMs = 0): void => {
    now += afterMs;
    emitter.emit(name);
  };
  return { send, signal, exits };
}

describe('stopSignal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('fires at %s, and says so', (name) => {
    const { send, signal, exits } = start();
    expect(signal.aborted).toBe(false);
    send(name);
    expect(signal.reason).toMatchObject({ name: 'Interrupted', by: name });
    expect(exits).toEqual([]);
  });

  it('takes what a terminal and npm send together for one', () => {
    const { send, exits } = start();
    send('SIGINT');
    send('SIGINT', 300);
    send('SIGTERM', 300);
    expect(exits).toEqual([]);
  });

  it.each([
    { name: 'SIGINT', want: 130 },
    { name: 'SIGTERM', want: 143 },
    { name: 'SIGHUP', want: 129 },
  ])('ends at once when asked again later with $name', ({ name, want }) => {
    const { send, exits } = start();
    send('SIGINT');
    send(name, 5_000);
    expect(exits).toEqual([want]);
  });
});
