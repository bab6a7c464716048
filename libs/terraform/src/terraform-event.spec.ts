import { describe, expect, it } from '@jest/globals';
import { parseTerraformLine } from './terraform-event.js';

describe('parseTerraformLine', () => {
  it('reads an event and its message', () => {
    const line =
      '{"@level":"info","@message":"aws_vpc.vpc: Creating...","hook":{"resource":{"addr":"aws_vpc.vpc","resource_type":"aws_vpc"},"action":"create"},"type":"apply_start"}';

    expect(parseTerraformLine(line)).toEqual({
      message: 'aws_vpc.vpc: Creating...',
      event: {
        type: 'apply_start',
        hook: { resource: { addr: 'aws_vpc.vpc', resource_type: 'aws_vpc' }, action: 'create' },
      },
    });
  });

  it.each([
    {
      name: 'an event without data for us',
      given: '{"@message":"Terraform 1.11.4","type":"version"}',
      want: 'Terraform 1.11.4',
    },
    { name: 'an event of a later version', given: '{"@message":"Hello","type":"apply_start","hook":7}', want: 'Hello' },
    { name: 'text', given: 'Error: no', want: 'Error: no' },
    { name: 'half a line of JSON', given: '{"@message":', want: '{"@message":' },
  ])('takes $name for a log line', ({ given, want }) => {
    expect(parseTerraformLine(given)).toEqual({ event: { type: 'log' }, message: want });
  });

  it('does not lose an event for an action it has never heard of', () => {
    const line =
      '{"@message":"x","type":"planned_change","change":{"resource":{"addr":"a","resource_type":"t"},"action":"teleport"}}';

    expect(parseTerraformLine(line).event).toMatchObject({ type: 'planned_change', change: { action: 'noop' } });
  });
});
