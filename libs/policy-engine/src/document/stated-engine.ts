import type { PolicyStage } from '@crate/api';

/** The engine that a Cluster names, as it is said of the Cluster whenever it is judged; undefined where it names none, and for other documents. */
export function statedEngine(stage: PolicyStage, document: unknown): string | undefined {
  if (stage !== 'ClusterSpec') return undefined;
  const { spec } = (document ?? {}) as {
    readonly spec?: { readonly kubernetes?: { readonly engine?: unknown } | null } | null;
  };
  const engine = spec?.kubernetes?.engine;
  return typeof engine === 'string' ? engine : undefined;
}
