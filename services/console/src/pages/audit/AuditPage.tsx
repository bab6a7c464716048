import { PageSection, Stack, StackItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../app/session-context.js';
import { PageHeading } from '../../components/PageHeading.js';
import { ProjectChoice } from '../../components/subpages/ProjectChoice.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import audit from '../../i18n/en/audit.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { AnyProjectChoice } from './AnyProjectChoice.js';
import { AuditResults } from './AuditResults.js';
import { EntryDialog } from './EntryDialog.js';
import { SearchForm } from './SearchForm.js';
import { VerifyCard } from './VerifyCard.js';

addStrings('audit', audit);

/** Who did what, searchable; the whole search, and the entry that is looked at, stand in the URL. */
export function AuditPage(): ReactElement {
  const { t } = useTranslation('audit');
  const { platformAdmin } = useSession();
  const [{ project, entry }] = useViewState();
  return (
    <>
      <PageHeading title={t('title')} subtitle={t('subtitle')} />
      <PageSection isFilled aria-label={t('title')}>
        <Stack hasGutter>
          {platformAdmin ? (
            <Found project={project} choice={<AnyProjectChoice />} />
          ) : (
            <ProjectChoice>{(own, choice) => <Found project={own} choice={choice} />}</ProjectChoice>
          )}
          {platformAdmin && (
            <StackItem>
              <VerifyCard />
            </StackItem>
          )}
        </Stack>
        {entry !== undefined && <EntryDialog entry={entry} />}
      </PageSection>
    </>
  );
}

interface FoundProps {
  readonly project: string | undefined;
  readonly choice: ReactElement;
}

function Found({ project, choice }: FoundProps): ReactElement {
  return (
    <>
      <StackItem>{choice}</StackItem>
      <StackItem>
        <SearchForm />
      </StackItem>
      <StackItem>
        <AuditResults project={project} />
      </StackItem>
    </>
  );
}
