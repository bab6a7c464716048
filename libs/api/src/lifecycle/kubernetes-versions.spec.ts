import { describe, expect, it } from '@jest/globals';
import { SUPPORTED_KUBERNETES_VERSIONS } from './kubernetes-versions.js';
import { upgradeVersions } from './upgrade-versions.js';

describe.each(Object.entries(SUPPORTED_KUBERNETES_VERSIONS))('the versions of %s', (_engine, versions) => {
  it('begin with the newest, and lead from the oldest to it, one minor version at a time', () => {
    let at: string = versions[versions.length - 1] ?? '';
    for (let next: string | undefined = at; next; [next] = upgradeVersions(at, versions)) at = next;
    expect(at).toBe(versions[0]);
  });
});
