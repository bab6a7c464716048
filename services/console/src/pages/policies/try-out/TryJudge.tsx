import type { Policy, PolicyExamples, PolicyStage } from '@crate/api';
import { Button, Content, StackItem } from '@patternfly/react-core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { stringify } from 'yaml';
import { KINDS } from '../../../api/paths.js';
import { useLiveList } from '../../../api/use-live.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { Choice } from '../../../components/subpages/Choice.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { documentOf } from '../../../components/yaml-editor/document-of.js';
import { useKindSchema } from '../../../components/yaml-editor/use-kind-schema.js';
import { YamlEditor } from '../../../components/yaml-editor/YamlEditor.js';
import { evaluate, useRuleExamples } from '../rule-examples.js';
import { EvaluationView } from './EvaluationView.js';
import { BEGINNINGS } from './try-out.js';

/** A document of any stage that a rule is about, and what the rule makes of it. */
export function TryJudge(): ReactElement {
  const { t } = useTranslation('policies');
  const live = useLiveList<Policy>(KINDS.policy);
  const [{ rule }, setView] = useViewState();
  const rules = live.items.toSorted((left, right) => left.metadata.name.localeCompare(right.metadata.name));
  const chosen = rules.find(({ metadata }) => metadata.name === rule) ?? rules[0];
  return (
    <LiveContent of={live}>
      <StackItem>
        <Choice
          label={t('rules.name')}
          value={chosen?.metadata.name ?? ''}
          options={rules.map(({ metadata, spec }) => ({
            value: metadata.name,
            text: `${metadata.name}: ${spec.title}`,
          }))}
          onChange={(name) => setView({ rule: name, example: undefined })}
        />
      </StackItem>
      {chosen && <ExampleOf key={chosen.metadata.name} policy={chosen} />}
    </LiveContent>
  );
}

function ExampleOf({ policy }: { readonly policy: Policy }): ReactElement {
  const { data, error, refetch } = useRuleExamples(policy.metadata.name);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return data ? <Examples policy={policy} examples={data.items} /> : <LoadingState />;
}

interface ExamplesProps {
  readonly policy: Policy;
  readonly examples: PolicyExamples['items'];
}

/** Begins with an example of the rule, or with an empty document of its stage. */
function Examples({ policy, examples }: ExamplesProps): ReactElement {
  const { t } = useTranslation('policies');
  const [{ example = '0' }, setView] = useViewState();
  const stage = policy.spec.match.stages[0] ?? 'ClusterSpec';
  const begin = examples[Number(example)] ?? { stage, document: BEGINNINGS[stage] };
  const options = examples.map(({ expected, title }, index) => ({
    value: String(index),
    text: `${t(`examples.${expected}`)}: ${title ?? t('examples.untitled', { number: index + 1 })}`,
  }));
  return (
    <>
      {options.length > 0 && (
        <StackItem>
          <Choice
            label={t('examples.begin')}
            value={example}
            options={options}
            onChange={(index) => setView({ example: index })}
          />
        </StackItem>
      )}
      <DocumentEditor key={example} rule={policy.metadata.name} begin={begin} />
    </>
  );
}

interface DocumentEditorProps {
  readonly rule: string;
  readonly begin: Pick<PolicyExamples['items'][number], 'stage' | 'document'>;
}

function DocumentEditor({ rule, begin }: DocumentEditorProps): ReactElement {
  const { t } = useTranslation('policies');
  const [text, setText] = useState(() => stringify(begin.document));
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: async () => evaluate(rule, documentOf(text), begin),
  });
  return (
    <>
      <StackItem>
        <Content component="p">{t(`try.stage.${begin.stage}`)}</Content>
        <YamlEditor
          ariaLabel={t('try.judgeEditor')}
          value={text}
          schema={useStageSchema(begin.stage)}
          diagnostics={data?.violations ?? []}
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
        {data && <EvaluationView evaluation={data} />}
      </StackItem>
    </>
  );
}

/** What an editor knows of documents of a stage: nothing of those that are not the platform's own. */
function useStageSchema(stage: PolicyStage): ReturnType<typeof useKindSchema> {
  const schema = useKindSchema(KINDS.cluster);
  return stage === 'ClusterSpec' ? schema : undefined;
}
