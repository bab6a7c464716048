import { describe, expect, it } from '@jest/globals';
import { needsNoInit } from './init-marker.js';

const aws = { terraform: { required_providers: { aws: { source: 'hashicorp/aws', version: '6.0.0' } } } };
const reattach = (source: string): string => JSON.stringify({ [source]: { Protocol: 'grpc' } });

describe('needsNoInit', () => {
  it.each([
    { name: 'no provider is required', given: {}, attached: undefined, want: true },
    { name: 'the provider is attached', given: aws, attached: reattach('hashicorp/aws'), want: true },
    {
      name: 'the provider is attached by its full name',
      given: aws,
      attached: reattach('registry.terraform.io/hashicorp/aws'),
      want: true,
    },
    { name: 'the provider is not attached', given: aws, attached: undefined, want: false },
    { name: 'another provider is attached', given: aws, attached: reattach('hashicorp/google'), want: false },
    { name: 'there are modules', given: { ...aws, module: {} }, attached: reattach('hashicorp/aws'), want: false },
    { name: 'there is a backend', given: { terraform: { backend: { s3: {} } } }, attached: undefined, want: false },
  ])('is $want when $name', ({ given, attached, want }) => {
    expect(needsNoInit(given, attached)).toBe(want);
  });
});
