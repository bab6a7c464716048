import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { Container } from '../kinds/container.js';

export type Probe = NonNullable<Container['readinessProbe']>;

const LEAST_FAILURE = 400;

/** Asks a container once, as the kubelet does. Only what speaks HTTP or TCP can be asked; `isSupported` tells. */
export async function answers(probe: Probe, container: Container, address: string): Promise<boolean> {
  const timeoutMs = probe.timeoutSeconds * 1000;
  const { httpGet, tcpSocket } = probe;
  if (httpGet) return httpAnswers({ ...httpGet, port: portOf(httpGet.port, container) }, address, timeoutMs);
  return tcpAnswers(portOf(tcpSocket?.port ?? 0, container), address, timeoutMs);
}

export function isSupported(probe: Probe | undefined): boolean {
  return probe === undefined || probe.httpGet !== undefined || probe.tcpSocket !== undefined;
}

/** A port by number, or by the name it has in the container; 0, which nobody answers at, for a name that nothing has. */
function portOf(port: number | string, { ports = [] }: Container): number {
  if (typeof port === 'number') return port;
  return ports.find(({ name }) => name === port)?.containerPort ?? 0;
}

interface HttpProbe {
  readonly path: string;
  readonly port: number;
  readonly scheme: 'HTTP' | 'HTTPS';
}

/** As the kubelet: any certificate will do, and every answer below 400 is a good one. */
function httpAnswers({ path, port, scheme }: HttpProbe, address: string, timeoutMs: number): Promise<boolean> {
  const request = scheme === 'HTTPS' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const call = request(
      { host: address, port, path, agent: false, timeout: timeoutMs, rejectUnauthorized: false },
      (answer) => {
        answer.resume();
        resolve((answer.statusCode ?? LEAST_FAILURE) < LEAST_FAILURE);
      },
    );
    call.on('timeout', () => call.destroy(new Error('no answer in time')));
    call.on('error', () => resolve(false));
    call.end();
  });
}

function tcpAnswers(port: number, address: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: timeoutMs });
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
