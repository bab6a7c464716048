import { describe, expect, it } from '@jest/globals';
import { container, type Container } from '../kinds/container.js';
import { watchHealth } from './health-watch.js';

/** Nobody answers at its port. */
function deaf(probe: object): Container {
  const livenessProbe = { tcpSocket: { port: 1 }, periodSeconds: 1, failureThreshold: 1, ...probe };
  return container.parse({ name: 'web', image: 'web', livenessProbe });
}

const watched = (probe: object, signal: AbortSignal): ReturnType<typeof watchHealth> =>
  watchHealth(deaf(probe), '127.0.0.1', { onChange: () => undefined, signal });

describe('watchHealth', () => {
  it('gives a container up that does not answer, and no sooner than its probe begins', async () => {
    const ended = new AbortController();
    const patient = watched({ initialDelaySeconds: 3_600 }, ended.signal);

    expect(await watched({}, ended.signal)).toBe('liveness');
    expect(await watched({}, ended.signal)).toBe('liveness');

    ended.abort();
    expect(await patient).toBeUndefined();
  });
});
