import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { connectNats, ConnectNatsOptions } from '@crate/messaging';
import type { Metrics } from '@crate/telemetry';

type NatsConnection = Awaited<ReturnType<typeof connectNats>>;

/** Tells how this process stands to NATS, for as long as the connection is open. */
export function observeNats(metrics: Metrics, connection: NatsConnection): void {
  let isConnected = true;
  metrics.gauge({
    name: 'crate_nats_connected',
    help: '1 while the connection to NATS stands, 0 while it is being made again.',
    collect: (gauge) => gauge.set(isConnected && !connection.isClosed() ? 1 : 0),
  });
  metrics.gauge({
    name: 'crate_nats_rtt_seconds',
    help: 'Time from this process to the NATS server and back, measured at the scrape.',
    collect: async (gauge) => {
      if (isConnected) gauge.set((await connection.rtt()) / 1000);
    },
  });
  const reconnects = metrics.counter({ name: 'crate_nats_reconnects_total', help: 'Connections to NATS made again.' });
  // A counter that is there from the beginning can be told from one that nobody scrapes.
  reconnects.add(0);
  void follow(connection, (type) => {
    if (type === 'disconnect') isConnected = false;
    if (type === 'reconnect') {
      isConnected = true;
      reconnects.add();
    }
  });
}

async function follow(connection: NatsConnection, onStatus: (type: string) => void): Promise<void> {
  for await (const { type } of connection.status()) onStatus(type);
}

/** Tells when the files end that the connection stands on; nothing where it is without TLS. They are read anew, as connections read them. */
export function observeNatsCertificates(metrics: Metrics, tls: ConnectNatsOptions['tls'] = {}): void {
  metrics.gauge({
    name: 'crate_nats_certificate_expiry_timestamp_seconds',
    help: 'When a certificate of the connection to NATS ends, in seconds since 1970: that of the authority, or that of the client.',
    labels: ['use'],
    collect: async (gauge) => {
      for (const { use, validTo } of await natsCertificates(tls)) gauge.set(validTo.getTime() / 1000, { use });
    },
  });
}

/** When the files end that the connection stands on: that of the authority, and that of the client. Read anew. */
export async function natsCertificates(
  tls: ConnectNatsOptions['tls'] = {},
): Promise<readonly { readonly use: string; readonly validTo: Date }[]> {
  const files = Object.entries({ authority: tls.caFile, client: tls.certificateFile });
  const found = files.map(async ([use, file]) =>
    file === undefined ? [] : [{ use, validTo: new Date(new X509Certificate(await readFile(file)).validTo) }],
  );
  return (await Promise.all(found)).flat();
}
