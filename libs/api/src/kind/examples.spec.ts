import { describe, expect, it } from '@jest/globals';
import * as api from '../index.js';

const KINDS = Object.values<unknown>(api).filter(isKind);

function isKind(value: unknown): value is api.KindDefinition {
  return typeof value === 'object' && value !== null && 'plural' in value && 'body' in value;
}

describe('the example of', () => {
  it.each(KINDS.map((kind) => [kind.kind, kind] as const))('%s is one that its schema takes', (_name, kind) => {
    expect(kind.example).toBeDefined();
    expect(kind.body.safeParse(kind.example).error?.issues).toBeUndefined();
  });
});
