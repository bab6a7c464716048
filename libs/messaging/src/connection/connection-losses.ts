import type { NatsConnection } from '@nats-io/nats-core';

/** An answer that is on its way may still come over the new connection, as one of a service that was not cut off does. */
const GRACE_MS = 5_000;

const LOST = new Error('The connection to NATS was lost');

/** Tells of each time that a connection is lost, until it is closed. */
export class ConnectionLosses {
  private upcoming = new AbortController();

  constructor(connection: Pick<NatsConnection, 'status'>) {
    void this.follow(connection);
  }

  /** Aborts once the connection has been lost the next time, and has been back for some seconds. */
  get next(): AbortSignal {
    return this.upcoming.signal;
  }

  private async follow(connection: Pick<NatsConnection, 'status'>): Promise<void> {
    let lost: AbortController[] = [];
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        lost.push(this.upcoming);
        this.upcoming = new AbortController();
      } else if (type === 'reconnect') {
        setTimeout(giveUp, GRACE_MS, lost).unref();
        lost = [];
      }
    }
  }
}

function giveUp(lost: readonly AbortController[]): void {
  for (const each of lost) each.abort(LOST);
}
