import { Stack, StackItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../../components/subpages/Choice.js';
import { ProjectChoice } from '../../../components/subpages/ProjectChoice.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { TryDocument } from './TryDocument.js';
import { TryJudge } from './TryJudge.js';
import { TryRule } from './TryRule.js';

const WHAT = ['document', 'judge', 'rule'] as const;

/** Asks the platform what rules would say, and changes nothing. */
export function TryTab(): ReactElement {
  const { t } = useTranslation('policies');
  const [{ what = 'document', rule }, setView] = useViewState();
  return (
    <Stack hasGutter>
      <StackItem>
        <Choice
          label={t('try.what')}
          value={what}
          options={WHAT.map((value) => ({ value, text: t(`try.${value}`) }))}
          onChange={(value) => setView({ what: value })}
        />
      </StackItem>
      <Trying what={what} rule={rule} />
    </Stack>
  );
}

function Trying({ what, rule }: { readonly what: string; readonly rule: string | undefined }): ReactElement {
  if (what === 'rule') return <TryRule key={rule} name={rule} />;
  if (what === 'judge') return <TryJudge />;
  return (
    <ProjectChoice>
      {(project, choice) => (
        <>
          <StackItem>{choice}</StackItem>
          <TryDocument project={project} />
        </>
      )}
    </ProjectChoice>
  );
}
