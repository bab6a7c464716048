import { describe, expect, it } from '@jest/globals';
import { byTopic } from './consequences.js';
import { fieldOf, withValue } from '../../components/form/document-path.js';
import { draftYaml, newDraft, parseDraft } from './draft.js';
import { stepOf } from './steps.js';

describe('a draft', () => {
  const draft = newDraft({ project: 'team-a', version: 'v1.31.8' });

  it('takes values in, and out with what is empty without them', () => {
    const stated = withValue(draft, ['spec', 'network', 'podCidr'], '10.42.0.0/16');
    expect(stated.spec['network']).toEqual({ podCidr: '10.42.0.0/16' });
    expect(withValue(stated, ['spec', 'network', 'podCidr'], undefined).spec).not.toHaveProperty('network');
  });

  it('adds to lists and takes from them', () => {
    const more = withValue(draft, ['spec', 'nodePools', 1], { name: 'b' });
    expect(more.spec.nodePools?.map(({ name }) => name)).toEqual(['workers', 'b']);
    expect(withValue(more, ['spec', 'nodePools', 0], undefined).spec.nodePools).toEqual([{ name: 'b' }]);
  });

  it('keeps an item of a list whose last field was emptied: somebody types another value into it', () => {
    const pools = ['spec', 'nodePools'];
    const more = withValue(draft, [...pools, 1], { name: 'b' });
    const emptied = withValue(more, [...pools, 1, 'name'], undefined);
    expect(emptied.spec.nodePools).toEqual([draft.spec.nodePools?.[0], {}]);
    expect(withValue(emptied, [...pools, 1, 'name'], 'c').spec.nodePools?.[1]).toEqual({ name: 'c' });
    expect(withValue(emptied, [...pools, 1], undefined)).toEqual(draft);
    expect(withValue(draft, [...pools, 1, 'name'], undefined)).toEqual(draft);
  });

  it('keeps a list within a list as one when its last item was taken out', () => {
    expect(withValue({ args: [['a'], ['b']] }, ['args', 1, 0], undefined)).toEqual({ args: [['a'], []] });
  });

  it('is what its YAML says', () => {
    expect(parseDraft(draftYaml(draft))).toEqual(draft);
  });

  it('keeps a text a text for kubectl, which reads YAML 1.1', () => {
    const labelled = withValue(draft, ['spec', 'nodePools', 0, 'labels'], { ssd: 'yes', size: '1_000' });
    expect(draftYaml(labelled)).toMatch(/ssd: "yes"\n\s+size: "1_000"/);
  });

  it.each([
    '',
    'a: [',
    'kind: Project',
    'apiVersion: lifecycle.crate.dev/v1alpha1\nkind: Cluster\nmetadata: {}\nspec: 3',
  ])('is not made from %j', (text) => expect(parseDraft(text)).toBeUndefined());

  it('names fields as the API does', () => {
    expect(fieldOf(['spec', 'nodePools', 0, 'name'])).toBe('spec.nodePools[0].name');
  });
});

describe('what the server says', () => {
  it('is sorted by what it is about', () => {
    const advice = 'spec.x: Too few (policy ha, level should, severity low): More';
    expect([...byTopic([advice, 'nodes that join: a', 'cost: +5', 'spec.region: impact none'])]).toEqual([
      ['policies', [advice]],
      ['nodes', ['nodes that join: a']],
      ['cost', ['+5']],
      ['other', ['spec.region: impact none']],
    ]);
  });

  it.each([
    ['metadata.name', 'start'],
    ['spec.parameters.size', 'start'],
    ['spec.accountRef', 'cloud'],
    ['spec.nodePools[2].name', 'pools'],
    ['spec.networkPolicy', 'review'],
    [undefined, 'review'],
  ])('of %s belongs to the step %s', (field, step) => expect(stepOf(field)).toBe(step));
});
