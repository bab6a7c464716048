import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MANAGED_BY, OWNER_TAGS } from '@crate/infra-aws';
import type { AwsClient, XmlElement } from './aws-client.js';
import { iamResources } from './iam-resources.js';

const ROLES = Array.from({ length: 12 }, (_, index) => `r${index}`);

/** Counts the calls that are under way together. */
class CountingClient implements Pick<AwsClient, 'query'> {
  most = 0;
  private underway = 0;

  async query(_service: unknown, action: string): Promise<XmlElement> {
    this.underway += 1;
    this.most = Math.max(this.most, this.underway);
    await nextTurn();
    this.underway -= 1;
    return { [`${action}Result`]: this.answer(action) };
  }

  private answer(action: string): XmlElement {
    if (action === 'ListRoles') return { Roles: { member: ROLES.map((name) => ({ RoleName: name })) } };
    if (action !== 'ListRoleTags') return {};
    return { Tags: { member: [{ Key: OWNER_TAGS.managedBy, Value: MANAGED_BY }] } };
  }
}

describe('what an account has in IAM', () => {
  it('is asked for some at a time, and given in the order of the list', async () => {
    const client = new CountingClient();
    const found = await iamResources(client as unknown as AwsClient, [OWNER_TAGS.managedBy, MANAGED_BY]);

    expect(client.most).toBe(5);
    expect(found.map(({ id }) => id)).toEqual(ROLES);
  });
});
