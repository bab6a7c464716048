import { PlatformError } from '@crate/errors';
import type { CloudProvider, ProviderName } from './cloud-provider.js';

/** The providers that this installation offers. */
export class CloudProviders {
  constructor(private readonly byName: Readonly<Partial<Record<ProviderName, CloudProvider>>>) {}

  /** Throws Unavailable with the reason ProviderNotOffered. */
  get(name: ProviderName): CloudProvider {
    const provider = this.byName[name];
    if (provider) return provider;
    throw new PlatformError('Unavailable', `This installation does not offer the provider ${name}`, {
      retry: 'slow',
      details: {
        reason: 'ProviderNotOffered',
        field: 'spec.accountRef.name',
        remedy: 'Ask the operators to set it up; a CloudAccount of another provider takes a new cluster',
      },
    });
  }
}
