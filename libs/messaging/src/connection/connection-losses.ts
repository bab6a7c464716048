import type { NatsConnection } from '@nats-io/nats-core';

const LOST = new Error('The connection to NATS was lost');

/** Tells of each time that a connection is lost, until it is closed. */
export class ConnectionLosses {
  private upcoming = new AbortController();

  constructor(connection: Pick<NatsConnection, 'status'>) {
    void this.follow(connection);
  }

  /** Aborts when the connection is lost the next time. */
  get next(): AbortSignal {
    return this.upcoming.signal;
  }

  private async follow(connection: Pick<NatsConnection, 'status'>): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type !== 'disconnect') continue;
      const { upcoming } = this;
      this.upcoming = new AbortController();
      upcoming.abort(LOST);
    }
  }
}
