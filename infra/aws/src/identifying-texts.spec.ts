import { describe, expect, it } from '@jest/globals';
import { identifyingTexts } from './identifying-texts.js';
import { synthesizeAwsCluster } from './synthesize.js';
import { anInput } from './testing/an-input.js';

const ONE = anInput();
const OTHER = anInput({ infrastructureUid: 'uid-2', clusterUid: 'cluster-2', sshPublicKey: 'ssh-ed25519 BBBB other' });

function anonymous(input: typeof ONE): string {
  const texts = Object.entries(identifyingTexts(input)) as readonly (readonly [string, string])[];
  const text = JSON.stringify(synthesizeAwsCluster(input).document);
  return texts.reduce((all, [name, value]) => all.replaceAll(value, `{${name}}`), text);
}

describe('identifyingTexts', () => {
  it('are all that two stacks of the same wish differ in', () => {
    expect(synthesizeAwsCluster(ONE).hash).not.toBe(synthesizeAwsCluster(OTHER).hash);
    expect(anonymous(ONE)).toBe(anonymous(OTHER));
  });
});
