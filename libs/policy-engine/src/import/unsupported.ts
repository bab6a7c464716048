import { invalidSpec } from '@crate/errors';

/** What of an admission policy has no counterpart; collected, so that a person sees all of it at once. */
export class Unsupported {
  private readonly found: { readonly field: string; readonly message: string }[] = [];

  /** `ignored` names what the person wants left out all the same. */
  constructor(
    private readonly owner: string,
    private readonly ignored: readonly string[],
  ) {}

  /** Something that can be left out, if the person says so. */
  note(feature: string, field: string, why = 'has no counterpart'): void {
    if (this.ignored.includes(feature)) return;
    this.refuse(field, `${feature} is not supported: ${why}; leave it out with --ignore ${feature}`);
  }

  refuse(field: string, message: string): void {
    this.found.push({ field, message });
  }

  /** Throws InvalidSpec when anything was found. */
  throwIfAny(): void {
    if (this.found.length === 0) return;
    const text = this.found.map(({ field, message }) => `${field}: ${message}`).join('\n  ');
    const causes = this.found.map((cause) => ({ reason: 'FieldValueNotSupported', ...cause }));
    throw invalidSpec(`ValidatingAdmissionPolicy "${this.owner}" cannot be imported:\n  ${text}`, causes);
  }
}
