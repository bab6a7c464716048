import type { Cluster } from '@crate/api';
import { Alert, Button, Content, List, ListItem, StackItem } from '@patternfly/react-core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { apiJson } from '../../../api/http.js';
import { collectionPath, KINDS } from '../../../api/paths.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { useKindSchema } from '../../../components/yaml-editor/use-kind-schema.js';
import { YamlEditor } from '../../../components/yaml-editor/YamlEditor.js';
import { exampleCluster, judgeDocument, type DocumentVerdict } from './try-out.js';

interface OfProject {
  readonly project: string;
}

/** A cluster, and which rules fire. */
export function TryDocument({ project }: OfProject): ReactElement {
  const { data, isPending } = useQuery({
    queryKey: ['try-out', project],
    queryFn: ({ signal }) =>
      apiJson<{ readonly items: readonly Cluster[] }>(`${collectionPath(KINDS.cluster, project)}?limit=1`, { signal }),
  });
  if (isPending) return <LoadingState />;
  return <TryCluster key={project} project={project} beginning={exampleCluster(data?.items[0])} />;
}

function TryCluster({ project, beginning }: OfProject & { readonly beginning: string }): ReactElement {
  const { t } = useTranslation('policies');
  const schema = useKindSchema(KINDS.cluster);
  const [text, setText] = useState(beginning);
  const { mutate, data, error, isPending, reset } = useMutation({ mutationFn: () => judgeDocument(project, text) });
  return (
    <>
      <StackItem>
        <Content component="p">{t('try.documentHelp', { project })}</Content>
        <YamlEditor
          ariaLabel={t('try.documentEditor')}
          value={text}
          schema={schema}
          diagnostics={data?.refusal?.causes ?? []}
          onChange={(next) => {
            setText(next);
            reset();
          }}
        />
      </StackItem>
      <StackItem>
        <Button isLoading={isPending} isDisabled={isPending} onClick={() => mutate()}>
          {t('try.run')}
        </Button>
      </StackItem>
      <StackItem>
        <DeedError error={error} />
        {data && <Verdict verdict={data} />}
      </StackItem>
    </>
  );
}

function Verdict({ verdict: { warnings, refusal } }: { readonly verdict: DocumentVerdict }): ReactElement {
  const { t } = useTranslation('policies');
  if (refusal) {
    const { message, causes } = refusal;
    return (
      <Alert variant="danger" isInline isLiveRegion component="h2" title={t('try.denied')}>
        {causes.length === 0 ? (
          <p>{message}</p>
        ) : (
          <Lines lines={causes.map(({ field, message: why }) => (field === undefined ? why : `${field}: ${why}`))} />
        )}
      </Alert>
    );
  }
  if (warnings.length === 0) {
    return (
      <Alert variant="success" isInline isLiveRegion component="h2" title={t('try.passes')}>
        <p>{t('try.passesHelp')}</p>
      </Alert>
    );
  }
  return (
    <Alert variant="warning" isInline isLiveRegion component="h2" title={t('try.warned')}>
      <Lines lines={warnings} />
    </Alert>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }): ReactElement {
  return (
    <List>
      {lines.map((line) => (
        <ListItem key={line}>{line}</ListItem>
      ))}
    </List>
  );
}
