import type { Policy } from '@crate/api';
import { Content, Flex, StackItem } from '@patternfly/react-core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error.js';
import { apiJson } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';
import { DeedButton } from '../../../components/access/DeedButton.js';
import { DeedError } from '../../../components/access/DeedError.js';
import { ErrorState } from '../../../components/ErrorState.js';
import { LoadingState } from '../../../components/LoadingState.js';
import { useKindSchema } from '../../../components/yaml-editor/use-kind-schema.js';
import { YamlEditor } from '../../../components/yaml-editor/YamlEditor.js';
import { ImpactView } from './ImpactView.js';
import { EXAMPLE_RULE, judgeRule, ruleText } from './try-out.js';

/** A rule, new or as it is, and what it would lead to for all that is there. */
export function TryRule({ name }: { readonly name: string | undefined }): ReactElement {
  const { data, error, refetch } = useQuery({
    queryKey: ['rule', name],
    queryFn: ({ signal }) => apiJson<Policy>(objectPath(KINDS.policy, name ?? ''), { signal }),
    enabled: name !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (name === undefined) return <RuleEditor begin={EXAMPLE_RULE} isThere={false} />;
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return data ? <RuleEditor begin={ruleText(data)} isThere /> : <LoadingState />;
}

interface RuleEditorProps {
  readonly begin: string;
  /** Whether there is such a rule, which could be removed. */
  readonly isThere: boolean;
}

function RuleEditor({ begin, isThere }: RuleEditorProps): ReactElement {
  const { t } = useTranslation('policies');
  const schema = useKindSchema(KINDS.policy);
  const [text, setText] = useState(begin);
  const { mutate, data, error, isPending, variables, reset } = useMutation({
    mutationFn: (isRemoval: boolean) => judgeRule(text, { isRemoval }),
  });
  const needs = { verb: 'create', kind: KINDS.policyImpactReview } as const;
  const refusal = isPending ? t('try.busy') : undefined;
  return (
    <>
      <StackItem>
        <Content component="p">{t('try.ruleHelp')}</Content>
        <YamlEditor
          ariaLabel={t('try.ruleEditor')}
          value={text}
          schema={schema}
          diagnostics={error instanceof ApiError ? error.causes : []}
          onChange={(next) => {
            setText(next);
            reset();
          }}
        />
      </StackItem>
      <StackItem>
        <Flex>
          <DeedButton
            needs={needs}
            refusal={refusal}
            isLoading={isPending && variables === false}
            onClick={() => mutate(false)}
          >
            {t('try.run')}
          </DeedButton>
          {isThere && (
            <DeedButton
              variant="secondary"
              needs={needs}
              refusal={refusal}
              isLoading={isPending && variables === true}
              onClick={() => mutate(true)}
            >
              {t('try.remove')}
            </DeedButton>
          )}
        </Flex>
      </StackItem>
      <StackItem>
        <DeedError error={error} />
        {data && <ImpactView impact={data} />}
      </StackItem>
    </>
  );
}
