import { describe, expect, it } from '@jest/globals';
import { maskPlanDocument } from './plan-document.js';

const masked = '(sensitive value)';

describe('maskPlanDocument', () => {
  const document = {
    format_version: '1.2',
    variables: { password: { value: 'hunter2' } },
    prior_state: { values: { root_module: { resources: [{ values: { password: 'hunter2' } }] } } },
    planned_values: {
      outputs: { key: { sensitive: true, value: 'hunter2' }, open: { sensitive: false, value: 'yes' } },
      root_module: {
        resources: [{ address: 'a', values: { password: 'hunter2', name: 'n' }, sensitive_values: { password: true } }],
        child_modules: [
          {
            resources: [{ address: 'b', values: { deep: { x: 'hunter2' } }, sensitive_values: { deep: { x: true } } }],
          },
        ],
      },
    },
    resource_changes: [
      {
        address: 'a',
        change: {
          actions: ['update'],
          before: { list: ['open', 'hunter2'], name: 'n' },
          after: { list: ['hunter2'], name: 'm' },
          before_sensitive: { list: [false, true] },
          after_sensitive: { list: true },
        },
      },
      {
        address: 'c',
        change: {
          actions: ['delete'],
          before: { token: 'hunter2' },
          after: null,
          before_sensitive: true,
          after_sensitive: false,
        },
      },
    ],
    resource_drift: [
      {
        address: 'd',
        change: {
          actions: ['update'],
          before: { token: 'hunter2' },
          after: { token: 'hunter2!' },
          before_sensitive: { token: true },
          after_sensitive: { token: true },
        },
      },
    ],
    output_changes: {
      key: { actions: ['create'], before: null, after: 'hunter2', before_sensitive: false, after_sensitive: true },
    },
  };

  it('shows no sensitive value anywhere', () => {
    expect(JSON.stringify(maskPlanDocument(document))).not.toContain('hunter2');
  });

  it('keeps everything else', () => {
    const result = maskPlanDocument(document);

    expect(result['planned_values']).toMatchObject({
      outputs: { key: { value: masked }, open: { value: 'yes' } },
      root_module: { resources: [{ values: { password: masked, name: 'n' } }] },
    });
    expect(result['resource_changes']).toMatchObject([
      { change: { before: { list: ['open', masked], name: 'n' }, after: { list: masked, name: 'm' } } },
      { change: { before: masked, after: null } },
    ]);
  });
});
