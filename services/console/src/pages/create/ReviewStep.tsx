import { Alert, Button, Flex } from '@patternfly/react-core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error.js';
import { KINDS } from '../../api/paths.js';
import { DeedError } from '../../components/access/DeedError.js';
import { useKindSchema } from '../../components/yaml-editor/use-kind-schema.js';
import { YamlEditor } from '../../components/yaml-editor/YamlEditor.js';
import { CopyAs } from './CopyAs.js';
import { useCreate } from './create-context.js';
import { draftYaml, parseDraft, type Draft } from './draft.js';
import { create } from './dry-run.js';
import { PlanPanel } from './PlanPanel.js';

/** The document that would be applied, to be edited, copied, tried out and applied. */
export function ReviewStep(): ReactElement {
  const { t } = useTranslation('create');
  const { draft, live, forget } = useCreate();
  const navigate = useNavigate();
  const [text, setText, isReadable] = useDraftText();
  const schema = useKindSchema(KINDS.cluster);
  const diagnostics = useMemo(
    () => (live.judgement?.isAllowed === false ? live.judgement.causes : []),
    [live.judgement],
  );
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: create,
    onSuccess: async (_made, made) => {
      forget();
      await navigate({ to: pageOf(made) });
    },
  });
  const isReady = isReadable && live.judgement?.isAllowed === true && !live.isAsking;
  return (
    <div className="crate-create-review">
      <YamlEditor value={text} onChange={setText} schema={schema} diagnostics={diagnostics} ariaLabel={t('yaml')} />
      {!isReadable && <Alert isInline component="h3" variant="warning" title={t('notReadable')} />}
      <DeedError error={error} />
      {variables && error instanceof ApiError && error.isUnanswered && (
        <Link to={pageOf(variables)}>{t('lookAt', { name: variables.metadata.name })}</Link>
      )}
      <Flex>
        <Button
          isAriaDisabled={!isReady || isPending}
          isLoading={isPending}
          spinnerAriaLabel={t('creating')}
          onClick={() => {
            if (isReady && !isPending) mutate(draft);
          }}
        >
          {t('create')}
        </Button>
        {!isReady && <small>{t(live.isAsking ? 'asking' : 'notYet')}</small>}
      </Flex>
      <CopyAs draft={draft} />
      <PlanPanel key={JSON.stringify(draft)} isReady={isReady} />
    </div>
  );
}

/** Where the cluster is that is made of it. */
function pageOf({ metadata }: Draft): string {
  return `/clusters/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** The draft as text. What is typed and does not parse stays as it was typed, and changes nothing. */
function useDraftText(): readonly [string, (text: string) => void, boolean] {
  const { draft, replace } = useCreate();
  const [typed, setTyped] = useState<{ readonly text: string; readonly of: string }>();
  const now = JSON.stringify(draft);
  const type = (text: string): void => {
    const read = parseDraft(text);
    setTyped({ text, of: JSON.stringify(read ?? draft) });
    if (read) replace(read);
  };
  const text = typed?.of === now ? typed.text : draftYaml(draft);
  return [text, type, parseDraft(text) !== undefined];
}
