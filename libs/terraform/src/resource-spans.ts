import { PlatformError } from '@crate/errors';
import type { Span } from '@crate/telemetry';
import type { TerraformEvent } from './terraform-event.js';

type Hook = Extract<TerraformEvent, { readonly type: 'apply_start' }>['hook'];

/** A span for each resource that an `apply` creates, changes or deletes, from what Terraform tells of it while it runs. */
export class ResourceSpans {
  private readonly open = new Map<string, Span>();

  constructor(private readonly command: Span) {}

  observe(event: TerraformEvent): void {
    if (!this.command.isRecording) return;
    if (event.type === 'apply_start') this.begin(event.hook);
    if (event.type === 'apply_complete') this.end(event.hook);
    if (event.type === 'apply_errored') this.end(event.hook, failureOf(event.hook));
  }

  /** Ends what a command that was stopped left open. */
  close(): void {
    for (const span of this.open.values()) span.end();
    this.open.clear();
  }

  private begin({ resource, action }: Hook): void {
    const attributes = { 'crate.terraform.address': resource.addr, 'crate.terraform.action': action };
    this.open.set(resource.addr, this.command.child(`${action} ${resource.resource_type}`, { attributes }));
  }

  private end({ resource, id_value: id }: Hook, failure?: PlatformError): void {
    const span = this.open.get(resource.addr);
    this.open.delete(resource.addr);
    span?.set({ 'crate.terraform.id': id });
    if (failure) span?.fail(failure);
    span?.end();
  }
}

/** What was wrong is told by the command, whose diagnostics are classified as a whole. */
function failureOf({ resource, action }: Hook): PlatformError {
  const details = { reason: 'ResourceFailed' };
  return new PlatformError('Unavailable', `Terraform could not ${action} ${resource.addr}`, { details });
}
