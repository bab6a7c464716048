import { INFRASTRUCTURE, type Cluster, type Infrastructure } from '@crate/api';
import { describe, expect, it, jest } from '@jest/globals';
import { aCluster } from '../testing/a-cluster.js';
import {
  APPROVED_PLAN_ANNOTATION,
  approvedDestructionOf,
  approvedPlanOf,
  holdToDestruction,
  isTakenBack,
  planNameOf,
} from './approved-plan.js';

const MARK = { name: 'grow', uid: 'u', digest: 'd', generation: 1 };
const HELD = { approvedPlan: { name: 'grow', digest: 'd' } };

function marked(text: string | undefined): Cluster {
  const cluster = aCluster();
  const annotations = text === undefined ? {} : { [APPROVED_PLAN_ANNOTATION]: text };
  return { ...cluster, metadata: { ...cluster.metadata, generation: 1, annotations } };
}

describe('the mark of an approved plan', () => {
  it.each([
    { name: 'none where no plan is being carried out', text: undefined, plan: {}, destruction: {} },
    { name: 'the plan of this very spec', text: JSON.stringify(MARK), plan: HELD, destruction: {} },
    {
      name: 'none once the spec has changed again',
      text: JSON.stringify({ ...MARK, generation: 2 }),
      plan: {},
      destruction: {},
    },
    {
      name: 'a deletion',
      text: JSON.stringify({ ...MARK, destroy: true }),
      plan: {},
      destruction: { approvedPlan: { ...HELD.approvedPlan, destroy: true } },
    },
    {
      name: 'the plan, with a member that only a newer release knows',
      text: JSON.stringify({ ...MARK, notBefore: '2027-01-01T00:00:00Z' }),
      plan: HELD,
      destruction: {},
    },
  ])('says $name', ({ text, plan, destruction }) => {
    expect(approvedPlanOf(marked(text))).toEqual(plan);
    expect(approvedDestructionOf(marked(text))).toEqual(destruction);
  });

  describe.each([
    { name: 'no JSON', text: '{' },
    { name: 'of a shape that only a newer release knows', text: '{"plans":[]}' },
  ])('that is $name', ({ text }) => {
    const unreadable = expect.objectContaining({ code: 'Unavailable', retry: 'backoff' });

    it('lets nothing go that may have been approved', async () => {
      expect(() => approvedPlanOf(marked(text))).toThrow(unreadable);
      expect(() => approvedDestructionOf(marked(text))).toThrow(unreadable);
      const merge = jest.fn<() => Promise<Infrastructure>>();
      const infrastructure = { kind: INFRASTRUCTURE.kind, spec: {} } as Infrastructure;
      await expect(holdToDestruction({ merge }, marked(text), infrastructure)).rejects.toEqual(unreadable);
      expect(merge).not.toHaveBeenCalled();
    });

    it('wakes no plan, and hinders no write', () => {
      expect(planNameOf(marked(text))).toBeUndefined();
      expect(isTakenBack(marked(text), marked(text), 'lifecycle')).toBe(false);
      expect(isTakenBack(marked(text), marked(undefined), 'lifecycle')).toBe(true);
    });
  });
});
