import type { ClientRequest } from 'node:http';

/** Tells what ended a call before its answer was there. One that keeps silent for its timeout is ended, as by a network that drops what is sent. */
export function onCallFailure(call: ClientRequest, tell: (cause: Error) => void): void {
  call.on('error', tell);
  call.on('timeout', () => {
    // First: whoever reads the answer already is told that it was broken off.
    tell(Object.assign(new Error('No answer in time'), { code: 'ETIMEDOUT' }));
    call.destroy();
  });
}

/** Takes back the timeout of a call once somebody is there. */
export function patientOnceConnected(call: ClientRequest): void {
  call.once('socket', (socket) => {
    const relent = (): void => void call.setTimeout(0);
    if (socket.connecting) socket.once('secureConnect', relent);
    else relent();
  });
}
