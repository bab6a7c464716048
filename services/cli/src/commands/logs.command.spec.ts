import { describe, expect, it } from '@jest/globals';
import { forbidden, notFound, PlatformError, unavailable } from '@crate/errors';
import { logLines } from '../actions/logs.action.js';
import type { ApiClient } from '../client/api-client.js';
import { parseWorkedObject } from './worked-object.js';
import { subresourcePath } from '../objects/object-path.js';

const DEMO = parseWorkedObject('cluster/demo');
const BASE = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo/logs?timestamps=true';

const line = (second: number, source = 'terraform'): string =>
  `2026-11-22T15:21:0${second}.000000Z [${source}] line ${second}`;

/** An answer that begins, with nothing to say yet. */
const OPEN = '';
/** What a path is answered with whose owner is away. */
const NOWHERE = new PlatformError('NotFound', 'the server could not find the requested resource');

/** Answers one after the other: lines, and how each ends. */
function anApi(answers: readonly (readonly (string | Error)[])[]): {
  readonly asked: string[];
  readonly lines: ApiClient['lines'];
} {
  const asked: string[] = [];
  async function* lines(path: string, { onOpen }: { onOpen?: () => void } = {}): AsyncGenerator<string> {
    asked.push(path);
    const answer = answers[asked.length - 1] ?? [];
    if (typeof answer[0] === 'string') onOpen?.();
    for (const step of answer.filter((each) => each !== OPEN)) {
      if (step instanceof Error) throw step;
      yield await Promise.resolve(step);
    }
  }
  return { asked, lines };
}

async function read(api: ReturnType<typeof anApi>, options: object): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of logLines(api, DEMO, { namespace: 'team-a', ...options }, 1)) found.push(line);
  return found;
}

describe('crate logs', () => {
  it('asks for what it is told to', async () => {
    const api = anApi([['1 a'], ['1 a']]);
    expect(await read(api, { tail: 3 })).toEqual(['1 a']);
    await read(api, { follow: true, since: 60 });
    expect(api.asked).toEqual([`${BASE}&tailLines=3`, `${BASE}&follow=true&sinceSeconds=60`]);
  });

  it('goes on behind the last line when the connection breaks', async () => {
    const [a, b, c] = [line(1), line(2), line(3)];
    const api = anApi([[a, b, unavailable('gone')], [unavailable('still gone')], [b, c]]);
    expect(await read(api, { follow: true, tail: 9 })).toEqual([a, b, c]);
    const again = `${BASE}&follow=true&sinceTime=${encodeURIComponent('2026-11-22T15:20:52.000Z')}`;
    expect(api.asked.slice(1)).toEqual([again, again]);
  });

  it('shows what another source has stored late, and nothing twice', async () => {
    const [first, shown, late, next] = [line(0, 'rke'), line(2), line(1, 'rke'), line(3)];
    const api = anApi([
      [first, shown, unavailable('gone')],
      [first, late, shown, next],
    ]);
    expect(await read(api, { follow: true })).toEqual([first, shown, late, next]);
  });

  it('asks again when the connection breaks before the first line, as at the end of a token', async () => {
    const api = anApi([[OPEN, unavailable('gone')], [new PlatformError('TooManyRequests', 'busy')], ['1 a']]);
    expect(await read(api, { follow: true, tail: 9 })).toEqual(['1 a']);
    expect(new Set(api.asked)).toEqual(new Set([`${BASE}&follow=true&tailLines=9`]));
  });

  it('goes on from when it began where no old line is wanted and none came before the connection broke', async () => {
    const api = anApi([[OPEN, unavailable('gone')], ['1 a']]);
    expect(await read(api, { follow: true, tail: 0 })).toEqual(['1 a']);
    expect(api.asked).toEqual([`${BASE}&follow=true&tailLines=0`, `${BASE}&follow=true&sinceSeconds=1`]);
  });

  it('goes on when the path leads nowhere for a while', async () => {
    const api = anApi([['1 a', unavailable('gone')], [NOWHERE], ['2 b']]);
    expect(await read(api, { follow: true })).toEqual(['1 a', '2 b']);
  });

  it('survives any number of connections that were made', async () => {
    const broken = Array.from({ length: 100 }, () => [OPEN, unavailable('gone')]);
    expect(await read(anApi([...broken, ['1 a']]), { follow: true })).toEqual(['1 a']);
  });

  it.each([
    { name: 'the first answer never came', answers: [[unavailable('away')]], follow: true },
    { name: 'the first path leads nowhere', answers: [[NOWHERE]], follow: true },
    {
      name: 'the object is gone',
      answers: [['1 a', unavailable('gone')], [notFound('Cluster', 'demo')]],
      follow: true,
    },
    { name: 'nobody follows', answers: [['1 a', unavailable('gone')]], follow: false },
    { name: 'it is refused', answers: [['1 a', forbidden('no')]], follow: true },
  ])('gives up when $name', async ({ answers, follow }) => {
    await expect(read(anApi(answers), { follow })).rejects.toThrow();
  });
});

describe('parseWorkedObject', () => {
  it.each([
    { text: 'demo', kind: 'Cluster' },
    { text: 'clusters/demo', kind: 'Cluster' },
    { text: 'Infrastructure/demo', kind: 'Infrastructure' },
    { text: 'kubernetescluster/demo', kind: 'KubernetesCluster' },
  ])('takes $text for a $kind', ({ text, kind }) => {
    expect(parseWorkedObject(text)).toMatchObject({ kind: { kind }, name: 'demo' });
  });

  it.each(['pod/demo', 'cluster/', 'a/cluster/demo', ''])('says what it expects in place of %j', (text) => {
    expect(() => parseWorkedObject(text)).toThrow('cluster/NAME, infrastructure/NAME, kubernetescluster/NAME');
  });

  it('is a path in which no name means anything else', () => {
    expect(subresourcePath(DEMO, '../x', 'plan')).toContain('/namespaces/..%2Fx/clusters/demo/plan');
  });
});
