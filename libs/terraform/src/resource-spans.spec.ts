import { describe, expect, it } from '@jest/globals';
import { InMemoryTracer } from '@crate/telemetry';
import { ResourceSpans } from './resource-spans.js';
import type { TerraformEvent } from './terraform-event.js';

type Hook = Extract<TerraformEvent, { readonly type: 'apply_start' }>['hook'];

const network: Hook = { resource: { addr: 'aws_vpc.main', resource_type: 'aws_vpc' }, action: 'create' };
const machine: Hook = { resource: { addr: 'aws_instance.worker[0]', resource_type: 'aws_instance' }, action: 'create' };

describe('the spans of resources', () => {
  it('last from the start to the end of each, below the command', () => {
    const tracer = new InMemoryTracer();
    const command = tracer.begin('terraform apply');
    const spans = new ResourceSpans(command);
    spans.observe({ type: 'apply_start', hook: network });
    spans.observe({ type: 'apply_start', hook: machine });
    spans.observe({ type: 'apply_complete', hook: { ...network, id_value: 'vpc-1' } });
    expect(tracer.spans.map(({ name, isEnded }) => [name, isEnded])).toEqual([
      ['terraform apply', false],
      ['create aws_vpc', true],
      ['create aws_instance', false],
    ]);
    expect(tracer.get('create aws_vpc')).toMatchObject({ parentSpanId: command.place.parentId, error: undefined });
    expect(tracer.get('create aws_vpc').attributes).toEqual({
      'crate.terraform.address': 'aws_vpc.main',
      'crate.terraform.action': 'create',
      'crate.terraform.id': 'vpc-1',
    });

    spans.observe({ type: 'apply_errored', hook: machine });
    expect(tracer.get('create aws_instance')).toMatchObject({
      isEnded: true,
      error: { details: { reason: 'ResourceFailed' } },
    });
  });

  it('end with a command that was stopped', () => {
    const tracer = new InMemoryTracer();
    const spans = new ResourceSpans(tracer.begin('terraform apply'));
    spans.observe({ type: 'apply_start', hook: network });
    spans.close();
    expect(tracer.get('create aws_vpc')).toMatchObject({ isEnded: true, error: undefined });
  });
});
