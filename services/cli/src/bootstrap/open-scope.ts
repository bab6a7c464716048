import type { BootstrapDir } from './bootstrap-dir.js';
import { AwsTarget } from './aws-target.js';
import type { BootstrapRequest } from './request.js';
import { SandboxTarget } from './sandbox-target.js';
import type { BootstrapScope } from './scope.js';
import { Singleton } from './singleton.js';
import type { BootstrapTarget, CloudCredentials } from './target.js';

export interface ScopeOptions {
  readonly request: BootstrapRequest;
  readonly dir: BootstrapDir;
  readonly credentials?: CloudCredentials | undefined;
  /** Which temporary platform: the one that makes, or the one that takes away. */
  readonly direction: 'singleton' | 'removal';
  readonly say: (line: string) => void;
}

/** What steps work with. */
export function openScope({ request, dir, credentials, direction, say }: ScopeOptions): BootstrapScope {
  const target = targetOf(request, credentials);
  const singleton = new Singleton({
    dir: dir[direction],
    name: 'the temporary platform',
    upArguments: ['--service-settings', dir.serviceSettings(), ...target.upArguments],
  });
  return { request, dir, target, singleton, say };
}

function targetOf(request: BootstrapRequest, credentials: CloudCredentials | undefined): BootstrapTarget {
  return request.cloud === 'aws' ? new AwsTarget(request, credentials) : new SandboxTarget(request);
}
