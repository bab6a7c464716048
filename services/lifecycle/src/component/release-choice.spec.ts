import { describe, expect, it } from '@jest/globals';
import { parseReleaseIndex, type ReleaseIndex } from '../release/release-index.js';
import { availableVersions, versionProblems, type ChoiceFacts } from './release-choice.js';

const at = { channel: 'stable', releasedAt: '2026-11-01T00:00:00Z' };
const INDEX: ReleaseIndex = parseReleaseIndex(
  JSON.stringify({
    kind: 'ReleaseIndex',
    serial: 1,
    expiresAt: '2027-01-01T00:00:00Z',
    releases: [
      { ...at, version: '0.9.0' },
      { ...at, version: '1.0.0', downgradeTo: '0.9.5' },
      { ...at, version: '0.9.9' },
      { ...at, version: '1.1.0', upgradeFrom: '1.0.0', isSecurity: true },
      { ...at, version: '1.2.0-rc.1', channel: 'candidate', upgradeFrom: '1.0.0' },
      { ...at, version: '2.0.0', upgradeFrom: '1.1.0' },
      { ...at, version: '2.1.0', channel: 'lts', downgradeTo: '2.0.0' },
    ],
  }),
);

const facts = (changes: Partial<ChoiceFacts> = {}): ChoiceFacts => ({
  index: INDEX,
  channel: 'stable',
  installed: '1.0.0',
  platform: ['1.0.0'],
  present: ['1.1.0', '2.0.0', '0.9.0', '0.9.9', '1.2.0-rc.1'],
  ...changes,
});

describe('versionProblems', () => {
  it.each<{ name: string; version: string; changes?: Partial<ChoiceFacts>; want: readonly RegExp[] }>([
    { name: 'takes the next one', version: '1.1.0', want: [] },
    { name: 'refuses what is no version', version: '01.1', want: [/semantic version/] },
    { name: 'refuses what nobody signed', version: '1.1.1', want: [/not among the signed/] },
    { name: 'refuses all where no index is known', version: '1.1.0', changes: { index: undefined }, want: [/index/] },
    { name: 'names each thing in the way', version: '2.0.0', changes: { present: [] }, want: [/1\.1\.0/, /lie/] },
    {
      name: 'refuses a step that is too far for another component',
      version: '1.1.0',
      changes: { platform: ['1.0.0', '0.9.9'] },
      want: [/oldest component has 0\.9\.9/],
    },
    { name: 'leaves candidates to their channel', version: '1.2.0-rc.1', want: [/channel candidate/] },
    { name: 'takes candidates there', version: '1.2.0-rc.1', changes: { channel: 'candidate' }, want: [] },
    { name: 'goes back as far as schemas allow', version: '0.9.9', want: [] },
    { name: 'and no further', version: '0.9.0', want: [/no way back but to 0\.9\.5/] },
    {
      name: 'goes not back from what says nothing of it',
      version: '1.0.0',
      changes: { installed: '1.1.0', present: ['1.0.0'] },
      want: [/no way back: its schemas/],
    },
    { name: 'says of what it cannot read that it cannot', version: '2.1.0', want: [/too old to read/] },
    {
      name: 'does not say that there is no way back from what it cannot read',
      version: '2.0.0',
      changes: { installed: '2.1.0' },
      want: [/too old to read how far 2\.1\.0 goes back/],
    },
  ])('$name', ({ version, changes, want }) => {
    const problems = versionProblems(version, facts(changes));
    expect(problems.map(({ message }) => message)).toEqual(want.map((text) => expect.stringMatching(text)));
    expect(problems.filter(({ remedy }) => remedy === '')).toEqual([]);
  });
});

describe('availableVersions', () => {
  it('offers what is newer, reached in one step and of the channel, the newest first', () => {
    const offered = (channel: ChoiceFacts['channel']): unknown =>
      availableVersions(facts({ channel, present: ['1.1.0'] })).map(({ version, present }) => [version, present]);
    expect(offered('stable')).toEqual([['1.1.0', true]]);
    expect(offered('candidate')).toEqual([
      ['1.2.0-rc.1', false],
      ['1.1.0', true],
    ]);
  });
});
