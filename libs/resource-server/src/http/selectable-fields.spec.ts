import { CLUSTER, EVENT_V1, AUDIT_EVENT, NOTIFICATION_CHANNEL, type KindDefinition } from '@crate/api';
import { describe, expect, it } from '@jest/globals';
import { parseFieldSelector } from '@crate/resource-store';
import { CONFIG_MAP } from '../fixtures/kinds.js';
import { kindInfoOf } from '../kinds/kind-info.js';
import { refuseUnknownFields } from './selectable-fields.js';

function refusal(selector: string, definition: KindDefinition): string {
  try {
    refuseUnknownFields(parseFieldSelector(selector), kindInfoOf(definition));
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('refuseUnknownFields', () => {
  it.each([
    ...['metadata.name!=a', 'metadata.deletionTimestamp=', 'metadata.labels.tier=web', 'apiVersion=v1', 'kind!=x'],
    ...['spec.region=eu', 'spec.accountRef.name=main', 'spec.paused!=true', 'spec.controlPlane.replicas=3'],
    ...['status.failure.code=StateDamaged', 'status.observedGeneration!=1'],
  ])('takes %s of clusters', (selector) => {
    expect(refusal(selector, CLUSTER)).toBe('none');
  });

  it('takes what a kind declares, and anything where a kind has any fields', () => {
    expect(refusal('user=ada,since=2026-01-01T00:00:00Z', AUDIT_EVENT)).toBe('none');
    expect(refusal('regarding.name=demo,reportingController!=x', EVENT_V1)).toBe('none');
    expect(refusal('spec.type=Slack', NOTIFICATION_CHANNEL)).toBe('none');
    expect(refusal('data.some.key!=x', CONFIG_MAP.definition)).toBe('none');
  });

  it.each([
    { selector: 'spec.regoin!=eu', meant: 'spec.region' },
    { selector: 'spec.region=eu,metadata.nmae!=x', meant: 'metadata.name' },
    { selector: 'metdata.name!=x', meant: 'metadata.name' },
    { selector: 'spec.acountRef.name!=x', meant: 'spec.accountRef.name' },
  ])('refuses $selector, and names $meant', ({ selector, meant }) => {
    expect(refusal(selector, CLUSTER)).toMatch(/^field label not supported: /);
    expect(refusal(selector, CLUSTER)).toContain(`(did you mean "${meant}"?)`);
  });

  it.each([
    'colour!=red',
    'spec.nodePools!=x',
    'spec.nodePools.name!=x',
    'spec!=x',
    'metadata.labels!=x',
    'spec.region.x!=y',
  ])('refuses %s, which holds no single value', (selector) => {
    expect(refusal(selector, CLUSTER)).toBe(
      `field label not supported: ${selector.split('!=')[0]}; select by a field with a single value, such as ` +
        'metadata.name, metadata.namespace, spec.region, spec.accountRef.name, spec.classRef.name',
    );
  });

  it('refuses unknown metadata of kinds that have any fields', () => {
    expect(refusal('metadata.nmae!=x', CONFIG_MAP.definition)).toContain('"metadata.name"');
  });
});
