import { describe, expect, it } from '@jest/globals';
import { forbidden, notFound, PlatformError } from '@crate/errors';
import { withRemedy } from './remedies.js';

const PATH = '/apis/lifecycle.crate.dev/v1alpha1/namespaces/team-a/clusters/demo';
const causes = [{ reason: 'X', message: 'Ask Ada' }];

describe('what the API refused', () => {
  it.each([
    {
      name: 'of nobody',
      error: new PlatformError('Unauthenticated', 'Unauthorized'),
      want: /Sign in again: crate login/,
    },
    {
      name: 'that is not in the Project',
      error: notFound('clusters', 'demo'),
      want: /^Looked in Project team-a; .*-n/,
    },
    {
      ...{ name: 'in a Project that is not there', want: /crate get projects/ },
      error: notFound('projects', 'default', 'lifecycle.crate.dev'),
    },
  ])('comes with what to do: $name', ({ error, want }) => {
    const told = withRemedy(error, PATH);
    expect(told.details.remedy).toMatch(want);
    expect([told.code, told.message]).toEqual([error.code, error.message]);
  });

  it.each([
    { reason: 'it says itself what to do', error: new PlatformError('NotFound', 'No', { details: { causes } }) },
    { reason: 'nothing can be done from here', error: forbidden('No') },
    {
      reason: 'it lies in no Project',
      error: notFound('policies', 'x'),
      path: '/apis/policy.crate.dev/v1alpha1/policies/x',
    },
  ])('stays as it is where $reason', ({ error, path = PATH }) => {
    expect(withRemedy(error, path)).toBe(error);
  });
});
