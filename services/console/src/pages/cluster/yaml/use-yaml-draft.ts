import type { Cluster, Plan } from '@crate/api';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { keepTyped, typedAt } from '../../../api/typed-texts.js';
import { documentOf } from '../../../components/yaml-editor/document-of.js';
import { useCluster } from '../cluster-context.js';
import type { WriteOutcome } from '../dry-run.js';
import { createPlan } from '../plan/plan-writes.js';
import { useClusterKey } from '../use-cluster-key.js';
import { isSameDocument, isSaying, newerOf, yamlOf } from './cluster-yaml.js';
import { newestOf, replaceCluster } from './replace-cluster.js';

/** Something that is asked of the server with the text. */
type Deed<T> = UseMutationResult<T, Error, void>;

/** The YAML of a cluster while somebody edits it. */
export interface YamlDraft {
  readonly text: string;
  /** What the text was made from. */
  readonly base: Cluster;
  readonly isChanged: boolean;
  /** Whether somebody else has changed the cluster since. */
  readonly isBehind: boolean;
  /** Whether something is under way that takes the place of the text, or leaves it: until then it is neither changed nor given up. */
  readonly isBusy: boolean;
  readonly tried: Deed<WriteOutcome>;
  readonly applied: Deed<WriteOutcome>;
  readonly planned: Deed<Plan>;
  readonly type: (text: string) => void;
  /** Goes on with the text, in place of what others changed. */
  readonly keep: () => void;
  /** Begins again with the cluster as it is now. */
  readonly drop: () => void;
}

/** A text, and what it was made from. */
interface Draft {
  readonly base: Cluster;
  readonly text: string;
}

/** The draft of the cluster of the page; begins with what was typed there and not applied, else with the cluster as it is. */
export function useYamlDraft(): YamlDraft {
  const heard = useCluster();
  const { project, name } = useClusterKey();
  const place = `yaml of ${project}/${name}`;
  const [{ base, text }, setDraft] = useState(() => typedAt<Draft>(place) ?? { base: heard, text: yamlOf(heard) });
  const isChanged = text !== yamlOf(base);
  useEffect(() => keepTyped(place, isChanged ? { base, text } : undefined), [place, isChanged, base, text]);
  // The answer to a write comes before the watch tells of it.
  const newest = newerOf(heard, base);
  // Status is written all the time, and is no change of what people edit.
  const isBehind = useMemo(() => !isSameDocument(newest, base), [newest, base]);
  // What was typed has come about, by a plan of it or by a write that was asked for before the tab was left.
  const isDone = useMemo(
    () => isBehind && newest.metadata.uid === base.metadata.uid && isSaying(text, newest),
    [isBehind, newest, base, text],
  );
  if (isDone) setDraft({ base: newest, text });
  const begin = (cluster: Cluster): void => {
    // Also when its page was left before the answer came.
    keepTyped(place, undefined);
    setDraft({ base: cluster, text: yamlOf(cluster) });
  };
  const { tried, applied, planned } = useDeeds(text, isBehind ? base : newest, begin);
  const forget = (): void => {
    tried.reset();
    applied.reset();
    planned.reset();
  };
  return {
    text,
    base,
    isChanged,
    isBehind,
    isBusy: applied.isPending || planned.isPending,
    tried,
    applied,
    planned,
    type: (typed) => {
      setDraft({ base, text: typed });
      forget();
    },
    keep: () => {
      setDraft({ base: newest, text });
      forget();
    },
    drop: () => {
      begin(newest);
      forget();
    },
  };
}

/** What can be asked of the server with a text that was made from `base`. */
function useDeeds(
  text: string,
  base: Cluster,
  onApplied: (cluster: Cluster) => void,
): Pick<YamlDraft, 'tried' | 'applied' | 'planned'> {
  const key = useClusterKey();
  const navigate = useNavigate();
  const write = (isDry: boolean): Promise<WriteOutcome> => replaceCluster(key, { text, base, isDry });
  const planned = useMutation({
    mutationFn: async () => {
      const wanted = documentOf(text)['spec'] as Record<string, unknown>;
      // A plan holds the whole spec, and takes back what others changed: unlike a write it names no version to stand on.
      await newestOf(key, base);
      return createPlan(key, { wanted });
    },
    onSuccess: ({ metadata }) =>
      navigate({ to: '/clusters/$project/$name/plan', params: key, search: { plan: metadata.name } } as never),
  });
  // Why there is no plan of it is said until something else is asked for.
  const tried = useMutation({ mutationFn: () => write(true), onMutate: planned.reset });
  const applied = useMutation({
    mutationFn: () => write(false),
    onMutate: planned.reset,
    onSuccess: ({ cluster }) => {
      onApplied(cluster);
      tried.reset();
    },
  });
  return { tried, applied, planned };
}
