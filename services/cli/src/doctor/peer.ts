import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { unavailable } from '@crate/errors';
import { onCallFailure } from '../client/call-failure.js';
import { urlAt } from '../client/server-url.js';

const TIMEOUT_MS = 10_000;

/** What a server says of itself before anybody trusts it. */
export interface Peer {
  readonly validTo: Date;
  readonly issuer: string;
  /** Its clock; absent: it does not say. */
  readonly date?: Date;
}

/** Looks without judging the certificate: whether it is trusted is told by every other check. Throws Unavailable. */
export async function peerOf(server: string): Promise<Peer> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, rejectUnauthorized: false, agent: false };
    const call = request(urlAt(server, '/readyz'), options, (response) => {
      const { valid_to: validTo, issuer } = (response.socket as TLSSocket).getPeerCertificate();
      const { date } = response.headers;
      response.resume();
      const name = [issuer?.CN ?? issuer?.O ?? 'an authority without a name'].flat().join(' ');
      resolve({ validTo: new Date(validTo), issuer: name, ...(date === undefined ? {} : { date: new Date(date) }) });
    });
    onCallFailure(call, (cause) => reject(unavailable(`Cannot reach ${server}`, cause)));
    call.end();
  });
}
