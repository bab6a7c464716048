import { describe, expect, it } from '@jest/globals';
import { ProgressTracker, type TerraformProgress } from './progress-tracker.js';
import type { ChangeAction, TerraformEvent } from './terraform-event.js';

const resource = (addr: string): { addr: string; resource_type: string } => ({ addr, resource_type: 'aws_vpc' });
const plan = (addr: string, action: ChangeAction): TerraformEvent => ({
  type: 'planned_change',
  change: { resource: resource(addr), action },
});
const hook = (
  type: 'apply_start' | 'apply_progress' | 'apply_complete' | 'apply_errored',
  addr: string,
  action: ChangeAction,
  elapsed_seconds = 0,
): TerraformEvent => ({ type, hook: { resource: resource(addr), action, elapsed_seconds } });

function after(...events: TerraformEvent[]): TerraformProgress {
  const tracker = new ProgressTracker();
  for (const event of events) tracker.observe(event);
  return tracker.current();
}

describe('ProgressTracker', () => {
  it('knows nothing at first', () => {
    expect(after()).toEqual({ step: 0, steps: 0, message: '' });
  });

  it('counts planned changes, a replacement twice, and what is not changed not at all', () => {
    expect(after(plan('a', 'create'), plan('b', 'replace'), plan('c', 'noop'), plan('d', 'read')).steps).toBe(3);
  });

  it('does not count a change twice that apply announces again', () => {
    expect(after(plan('a', 'create'), plan('a', 'create')).steps).toBe(1);
  });

  it('names what is being worked on, the longest-running first', () => {
    const both = [hook('apply_start', 'a', 'create'), hook('apply_start', 'b', 'delete')];

    expect(after(...both).message).toBe('Creating a and 1 more');
    expect(after(...both, hook('apply_progress', 'b', 'delete', 10)).message).toBe('Destroying b and 1 more');
    expect(after(...both, hook('apply_complete', 'b', 'delete')).message).toBe('Creating a');
    expect(after(...both, hook('apply_errored', 'a', 'create')).message).toBe('Destroying b');
  });

  it('counts what is done, but no data source that is read late', () => {
    const planned = [plan('a', 'create'), plan('b', 'create')];

    expect(after(...planned, hook('apply_complete', 'a', 'create')).step).toBe(1);
    expect(after(...planned, hook('apply_complete', 'data.x', 'read')).step).toBe(0);
    expect(after(...planned, hook('apply_errored', 'a', 'create')).step).toBe(0);
  });
});
