import { expect, it } from '@jest/globals';
import { apiFlags } from './api-options.js';

it.each([
  { given: {}, want: '' },
  { given: { context: 'staging' }, want: ' --context staging' },
  {
    given: { kubeconfig: 'my config', context: 'a', dataDir: '/d', namespace: 'team-a' },
    want: " --kubeconfig 'my config' --context a --data-dir /d",
  },
])('a line to copy asks the same API: $given', ({ given, want }) => {
  expect(apiFlags(given)).toBe(want);
});
