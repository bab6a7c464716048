import type { Cluster } from '@crate/api';
import { Alert, Button, Flex, Stack, StackItem } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error.js';
import { KINDS } from '../../../api/paths.js';
import { useKindSchema } from '../../../components/yaml-editor/use-kind-schema.js';
import { YamlEditor } from '../../../components/yaml-editor/YamlEditor.js';
import { GuardedButton } from '../access/GuardedButton.js';
import { useMay } from '../access/use-may.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { useCluster } from '../cluster-context.js';
import type { WriteOutcome } from '../dry-run.js';
import { createPlan } from '../plan/plan-writes.js';
import { useClusterKey } from '../use-cluster-key.js';
import { documentOf, isSameDocument, yamlOf } from './cluster-yaml.js';
import { DryRunResult } from './DryRunResult.js';
import { replaceCluster } from './replace-cluster.js';

/** The cluster as YAML: edited, tried at the server, and only then applied. */
export function YamlTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const key = useClusterKey();
  const navigate = useNavigate();
  const newest = useCluster();
  const schema = useKindSchema(KINDS.cluster);
  const mayChange = useMay({ verb: 'update', kind: KINDS.cluster });
  const [base, setBase] = useState(newest);
  const [text, setText] = useState(() => yamlOf(newest));
  // Status is written all the time, and is no change of what people edit.
  const isBehind = useMemo(() => !isSameDocument(newest, base), [newest, base]);
  const write = (isDry: boolean): Promise<WriteOutcome> =>
    replaceCluster(key, { text, base: isBehind ? base : newest, isDry });
  const tried = useMutation({ mutationFn: () => write(true) });
  const applied = useMutation({ mutationFn: () => write(false), onSuccess: ({ cluster }) => begin(cluster) });
  const planned = useMutation({
    mutationFn: () => createPlan(key, { wanted: documentOf(text)['spec'] as Record<string, unknown> }),
    onSuccess: ({ metadata }) =>
      navigate({ to: '/clusters/$project/$name/plan', params: key, search: { plan: metadata.name } } as never),
  });
  const begin = (cluster: Cluster): void => {
    setBase(cluster);
    setText(yamlOf(cluster));
    tried.reset();
  };
  const outcome = useRef<HTMLDivElement>(null);
  const { data: shown } = tried;
  // The editor fills the screen: what was asked for comes below it.
  useEffect(() => {
    if (shown) outcome.current?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  const error = applied.error ?? tried.error ?? planned.error;
  const isChanged = text !== yamlOf(base);
  return (
    <Stack hasGutter>
      {isBehind && (
        <StackItem>
          <Behind
            onKeep={() => {
              setBase(newest);
              tried.reset();
              applied.reset();
            }}
            onDrop={() => begin(newest)}
          />
        </StackItem>
      )}
      <StackItem>
        <YamlEditor
          ariaLabel={t('yaml.editor', { name: key.name })}
          value={text}
          onChange={(value) => {
            setText(value);
            tried.reset();
            applied.reset();
          }}
          schema={schema}
          readOnly={!mayChange || applied.isPending}
          diagnostics={causesOf(error)}
        />
      </StackItem>
      <StackItem>
        <Flex>
          <GuardedButton
            variant="secondary"
            needs={{ verb: 'update', kind: KINDS.cluster }}
            refusal={isChanged ? undefined : t('yaml.same')}
            isLoading={tried.isPending}
            onClick={() => tried.mutate()}
          >
            {t('yaml.try')}
          </GuardedButton>
          <GuardedButton
            needs={{ verb: 'update', kind: KINDS.cluster }}
            refusal={tried.data ? undefined : t('yaml.tryFirst')}
            isLoading={applied.isPending}
            onClick={() => applied.mutate()}
          >
            {t('yaml.apply')}
          </GuardedButton>
          <GuardedButton
            variant="secondary"
            needs={{ verb: 'create', kind: KINDS.plan }}
            refusal={isChanged ? undefined : t('yaml.same')}
            isLoading={planned.isPending}
            onClick={() => planned.mutate()}
          >
            {t('yaml.plan')}
          </GuardedButton>
          {isChanged && (
            <Button variant="link" onClick={() => begin(newest)}>
              {t('yaml.drop')}
            </Button>
          )}
        </Flex>
      </StackItem>
      <StackItem>
        <DeedError error={error} />
        <div ref={outcome}>
          <Outcome base={base} tried={tried.data} isApplied={applied.isSuccess && !isChanged} />
        </div>
      </StackItem>
    </Stack>
  );
}

/** What the server objects to, field by field. */
function causesOf(error: Error | null): ApiError['causes'] {
  return error instanceof ApiError ? error.causes : [];
}

interface OutcomeProps {
  readonly base: Cluster;
  readonly tried: WriteOutcome | undefined;
  readonly isApplied: boolean;
}

function Outcome({ base, tried, isApplied }: OutcomeProps): ReactElement | null {
  const { t } = useTranslation('cluster');
  if (isApplied) return <Alert variant="success" isInline isLiveRegion component="h2" title={t('yaml.applied')} />;
  return tried ? <DryRunResult before={yamlOf(base)} outcome={tried} /> : null;
}

interface BehindProps {
  readonly onKeep: () => void;
  readonly onDrop: () => void;
}

/** Somebody else changed the cluster: a write would be refused, so that nothing of theirs is lost unseen. */
function Behind({ onKeep, onDrop }: BehindProps): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Alert
      variant="warning"
      isInline
      isLiveRegion
      component="h2"
      title={t('yaml.behindTitle')}
      actionLinks={
        <>
          <Button variant="link" isInline onClick={onKeep}>
            {t('yaml.keep')}
          </Button>
          <Button variant="link" isInline onClick={onDrop}>
            {t('yaml.drop')}
          </Button>
        </>
      }
    >
      <p>{t('yaml.behind')}</p>
    </Alert>
  );
}
