import type { handleUnaryCall, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { fileURLToPath } from 'node:url';
import type { PathStep } from './plan.js';
import type { DynamicValue } from './value.js';

/** A message to the person, next to the resource it is about. */
export interface Diagnostic {
  readonly severity: 'ERROR' | 'WARNING';
  readonly summary: string;
  readonly detail: string;
}

/** Requests of the calls the provider answers; field names are the protocol's. */
export interface Requests {
  readonly GetProviderSchema: object;
  readonly ValidateProviderConfig: { readonly config: DynamicValue };
  readonly ValidateResourceConfig: { readonly type_name: string; readonly config: DynamicValue };
  readonly ValidateDataResourceConfig: { readonly type_name: string; readonly config: DynamicValue };
  readonly UpgradeResourceState: { readonly type_name: string; readonly raw_state: { readonly json: Uint8Array } };
  readonly ConfigureProvider: { readonly config: DynamicValue };
  readonly ReadResource: {
    readonly type_name: string;
    readonly current_state: DynamicValue;
    readonly private: Uint8Array;
  };
  readonly PlanResourceChange: {
    readonly type_name: string;
    readonly prior_state: DynamicValue;
    readonly proposed_new_state: DynamicValue;
    readonly config: DynamicValue;
    readonly prior_private: Uint8Array;
  };
  readonly ApplyResourceChange: {
    readonly type_name: string;
    readonly prior_state: DynamicValue;
    readonly planned_state: DynamicValue;
    readonly planned_private: Uint8Array;
  };
  readonly ImportResourceState: { readonly type_name: string; readonly id: string };
  readonly ReadDataSource: { readonly type_name: string; readonly config: DynamicValue };
  readonly StopProvider: object;
}

interface Failed {
  readonly diagnostics?: readonly Diagnostic[];
}

/** Answers to the calls. */
export interface Responses {
  readonly GetProviderSchema: {
    readonly provider: object;
    readonly resource_schemas: Readonly<Record<string, object>>;
    readonly data_source_schemas: Readonly<Record<string, object>>;
  };
  readonly ValidateProviderConfig: Failed;
  readonly ValidateResourceConfig: Failed;
  readonly ValidateDataResourceConfig: Failed;
  readonly UpgradeResourceState: Failed & { readonly upgraded_state?: DynamicValue };
  readonly ConfigureProvider: Failed;
  readonly ReadResource: Failed & { readonly new_state?: DynamicValue; readonly private?: Uint8Array };
  readonly PlanResourceChange: Failed & {
    readonly planned_state?: DynamicValue;
    readonly planned_private?: Uint8Array;
    readonly requires_replace?: readonly { readonly steps: readonly PathStep[] }[];
  };
  readonly ApplyResourceChange: Failed & { readonly new_state?: DynamicValue; readonly private?: Uint8Array };
  readonly ImportResourceState: Failed & {
    readonly imported_resources?: readonly { readonly type_name: string; readonly state: DynamicValue }[];
  };
  readonly ReadDataSource: Failed & { readonly state?: DynamicValue };
  readonly StopProvider: object;
}

/**
 * The provider's side of the protocol: one function per call. A throw ends the call with an error diagnostic;
 * `signal` fires when Terraform is gone.
 */
export type ProviderCalls = {
  readonly [K in keyof Requests]: (request: Requests[K], signal: AbortSignal) => Promise<Responses[K]> | Responses[K];
};

type Answer = (request: object, signal: AbortSignal) => Promise<object> | object;

interface ProviderPackage {
  readonly Provider: { readonly service: ServiceDefinition };
}

const PROTO = fileURLToPath(new URL('../../../proto/tfplugin6.proto', import.meta.url));

let definition: ServiceDefinition | undefined;

/** The gRPC service, read from its definition once. */
export function providerService(): ServiceDefinition {
  definition ??= load();
  return definition;
}

/** Makes gRPC handlers of the calls; `observe` is told of each one's start and end. */
export function toHandlers(
  calls: ProviderCalls,
  observe: { readonly started: () => void; readonly ended: () => void },
): UntypedServiceImplementation {
  const handlers: UntypedServiceImplementation = {};
  for (const [name, answer] of Object.entries(calls)) {
    const handle: handleUnaryCall<object, object> = (call, callback) => {
      const gone = new AbortController();
      call.on('cancelled', () => gone.abort());
      observe.started();
      void respond(answer as Answer, call.request, gone.signal).then((response) => {
        observe.ended();
        callback(null, response);
      });
    };
    handlers[name] = handle;
  }
  return handlers;
}

/** An error of any kind as a diagnostic. */
export function errorDiagnostic(summary: string, detail = ''): Diagnostic {
  return { severity: 'ERROR', summary, detail };
}

async function respond(answer: Answer, request: object, signal: AbortSignal): Promise<object> {
  try {
    return await answer(request, signal);
  } catch (error) {
    return { diagnostics: [errorDiagnostic(error instanceof Error ? error.message : String(error))] };
  }
}

function load(): ServiceDefinition {
  const root = loadPackageDefinition(loadSync(PROTO, { keepCase: true, defaults: true, longs: Number, enums: String }));
  return (root['tfplugin6'] as unknown as ProviderPackage).Provider.service;
}
