import { describe, expect, it } from '@jest/globals';
import { exampleRequest } from './example-documents.js';

describe('exampleRequest', () => {
  const onEks = { spec: { kubernetes: { engine: 'eks' } } };
  it.each([
    { name: 'that an ordinary Cluster names', stage: 'ClusterSpec', example: {}, want: 'rke' },
    { name: 'that the Cluster of the example names', stage: 'ClusterSpec', example: onEks, want: 'eks' },
    { name: 'that the example states', stage: 'ClusterSpec', example: { ...onEks, engine: 'rke2' }, want: 'rke2' },
    { name: 'of an ordinary configuration', stage: 'EngineConfig', example: {}, want: 'rke' },
    { name: 'of the configuration', stage: 'EngineConfig', example: { engine: 'rke2' }, want: 'rke2' },
  ] as const)('is about a cluster of the engine $name', ({ stage, example, want }) => {
    expect(exampleRequest(stage, example).subject.engine).toBe(want);
  });

  it.each(['TerraformPlan', 'Manifest'] as const)('says nothing of the engine of a %s', (stage) => {
    expect(exampleRequest(stage, {}).subject).not.toHaveProperty('engine');
  });
});
