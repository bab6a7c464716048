import { type DynamicModule, type InjectionToken, Module, type ModuleMetadata } from '@nestjs/common';
import { KubernetesRequestHandler, type KubernetesRequestHandlerOptions } from '../http/kubernetes-request-handler.js';
import { ResourceController } from './resource.http.js';

/** Options that depend on other providers. */
export interface ResourceHttpAsyncOptions {
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
  readonly inject?: InjectionToken[];
  readonly useFactory: (
    ...dependencies: never[]
  ) => KubernetesRequestHandlerOptions | Promise<KubernetesRequestHandlerOptions>;
}

/**
 * Serves the Kubernetes-shaped API inside a Nest application. The application is made with `resourceFastifyAdapter`
 * and `bodyParser: false`, because bodies are read by the API itself.
 */
@Module({})
export class ResourceHttpModule {
  /** Serves with options that are known already. */
  static forRoot(options: KubernetesRequestHandlerOptions): DynamicModule {
    return ResourceHttpModule.forRootAsync({ useFactory: () => options });
  }

  /** Serves with options made from other providers. */
  static forRootAsync({ imports = [], inject = [], useFactory }: ResourceHttpAsyncOptions): DynamicModule {
    const handler = {
      provide: KubernetesRequestHandler,
      inject,
      useFactory: async (...dependencies: never[]) => new KubernetesRequestHandler(await useFactory(...dependencies)),
    };
    const controllers = [ResourceController];
    return { module: ResourceHttpModule, imports, controllers, providers: [handler], exports: [handler.provide] };
  }
}
