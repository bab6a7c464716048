import { describe, expect, it } from '@jest/globals';
import type { AddOn } from '@crate/api';
import { addOnChoices, chosenOtherwise, type AddOnChoice, type ChoiceContext } from './add-on-choices.js';
import type { DraftAddOn } from './draft.js';

const anAddOn = (name: string, more: object = {}): AddOn =>
  ({ metadata: { name }, spec: { displayName: name, version: '1.0.0', dependsOn: [], ...more } }) as unknown as AddOn;

const CATALOGUE = [
  anAddOn('baseline'),
  anAddOn('docs', { dependsOn: ['baseline'] }),
  anAddOn('site', { dependsOn: ['docs'] }),
  anAddOn('volumes', { providers: ['aws'], defaultFor: ['aws'] }),
];

function choiceOf(name: string, stated: readonly DraftAddOn[], context: Partial<ChoiceContext> = {}): AddOnChoice {
  const all = addOnChoices(CATALOGUE, stated, { provider: 'aws', ofClass: new Set(), ...context });
  const found = all.find(({ addOn }) => addOn.metadata.name === name);
  if (!found) throw new Error(`There is no ${name}`);
  return found;
}

describe('add-ons that a cluster is made with', () => {
  it.each([
    { name: 'docs', stated: [], want: { isChosen: false, isFixed: false }, reason: 'nothing asks for it' },
    { name: 'docs', stated: [{ name: 'docs' }], want: { isChosen: true, isFixed: false }, reason: 'it is asked for' },
    { name: 'volumes', stated: [], want: { isChosen: true, isFixed: false }, reason: 'it comes by default' },
    {
      name: 'volumes',
      stated: [{ name: 'volumes', enabled: false }],
      want: { isChosen: false, isFixed: false },
      reason: 'a default may be left out',
    },
    {
      name: 'baseline',
      stated: [{ name: 'site' }],
      want: { isChosen: true, isFixed: true, neededBy: ['site'] },
      reason: 'what is needed through another one comes along',
    },
    {
      name: 'baseline',
      stated: [{ name: 'docs' }, { name: 'baseline', enabled: false }],
      want: { isChosen: false, isFixed: false, neededBy: ['docs'] },
      reason: 'the server says what is wrong with that, and here it is set right',
    },
  ])('$name: $reason', ({ name, stated, want }) => {
    expect(choiceOf(name, stated)).toMatchObject(want);
  });

  it('are not offered where they do not fit, unless they were asked for', () => {
    const context = { provider: 'sandbox-aws' };
    expect(choiceOf('volumes', [], context)).toMatchObject({ isChosen: false, isFixed: true, isUnsuited: true });
    expect(choiceOf('volumes', [{ name: 'volumes' }], context)).toMatchObject({ isChosen: true, isFixed: false });
    expect(choiceOf('volumes', [], { provider: undefined })).toMatchObject({ isFixed: false, isUnsuited: false });
  });

  it('come with the class', () => {
    const context = { ofClass: new Set(['docs']) };
    expect(choiceOf('docs', [], context)).toMatchObject({ isChosen: true, isFixed: true, isOfClass: true });
    expect(choiceOf('baseline', [], context)).toMatchObject({ isChosen: true, neededBy: ['docs'] });
  });

  it.each<{ name: string; stated: DraftAddOn[]; want: DraftAddOn[] }>([
    { name: 'docs', stated: [], want: [{ name: 'docs' }] },
    { name: 'docs', stated: [{ name: 'docs', version: '1.0.0' }], want: [] },
    { name: 'volumes', stated: [], want: [{ name: 'volumes', enabled: false }] },
    { name: 'volumes', stated: [{ name: 'volumes' }], want: [{ name: 'volumes', enabled: false }] },
    { name: 'volumes', stated: [{ name: 'volumes', enabled: false }], want: [] },
  ])('are chosen otherwise: $name of $stated', ({ name, stated, want }) => {
    expect(chosenOtherwise(stated, choiceOf(name, stated))).toEqual(want);
  });
});
