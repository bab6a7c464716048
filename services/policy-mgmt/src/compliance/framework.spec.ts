import { describe, expect, it } from '@jest/globals';
import { controlOf, OTHER_FRAMEWORK } from './framework.js';

describe('controlOf', () => {
  it.each([
    ['CIS AWS Foundations 3.0.0 5.2', 'CIS AWS Foundations 3.0.0', '5.2'],
    ['CIS Kubernetes 1.8.0 5.2.13', 'CIS Kubernetes 1.8.0', '5.2.13'],
    ['NIST 800-53 AC-4', 'NIST 800-53', 'AC-4'],
    ['NIST 800-53 IA-5(7)', 'NIST 800-53', 'IA-5(7)'],
    ['AWS Security Hub EC2.1', 'AWS Security Hub', 'EC2.1'],
    ['Pod Security Standards Restricted Volume Types', 'Pod Security Standards Restricted', 'Volume Types'],
    [
      'NSA/CISA Kubernetes Hardening 1.2 Pod security enforcement',
      'NSA/CISA Kubernetes Hardening 1.2',
      'Pod security enforcement',
    ],
    ['SEC-12', OTHER_FRAMEWORK, 'SEC-12'],
    ['House rules of the platform team', OTHER_FRAMEWORK, 'House rules of the platform team'],
  ])('reads %s', (reference, framework, control) => {
    expect(controlOf(reference)).toEqual({ framework, control });
  });

  it.each(['https://example.com/rules#5.2', ' '])('takes %p for no control', (reference) => {
    expect(controlOf(reference)).toBeUndefined();
  });
});
