import type { PolicyWaiver } from '@crate/api';
import { EmptyState, EmptyStateBody, Stack, StackItem } from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS } from '../../../api/paths.js';
import { useLiveList } from '../../../api/use-live.js';
import { DeedButton } from '../../../components/access/DeedButton.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { ProjectChoice } from '../../../components/subpages/ProjectChoice.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { DecisionDialog, type Decision } from './DecisionDialog.js';
import { WaiverDialog } from './WaiverDialog.js';
import { WaiverTable } from './WaiverTable.js';

/** Where rules need not hold for a time, who asked and who answers for it. */
export function WaiversTab(): ReactElement {
  return (
    <ProjectChoice>
      {(project, choice) => (
        <Stack hasGutter>
          <StackItem>{choice}</StackItem>
          <ProjectWaivers key={project} project={project} />
        </Stack>
      )}
    </ProjectChoice>
  );
}

function ProjectWaivers({ project }: { readonly project: string }): ReactElement {
  const { t } = useTranslation('policies');
  const live = useLiveList<PolicyWaiver>(KINDS.policyWaiver, { namespace: project });
  const [{ ask }, setView] = useViewState();
  const [isAsking, setAsking] = useState(ask !== undefined);
  const [decision, setDecision] = useState<Decision>();
  const close = (): void => {
    setAsking(false);
    setView({ ask: undefined });
  };
  return (
    <>
      <StackItem>
        <DeedButton
          needs={{ verb: 'create', kind: KINDS.policyWaiver, namespace: project }}
          onClick={() => setAsking(true)}
        >
          {t('waivers.ask')}
        </DeedButton>
      </StackItem>
      <StackItem>
        <LiveContent of={live}>
          {live.items.length === 0 ? (
            <EmptyState headingLevel="h2" titleText={t('waivers.none')}>
              <EmptyStateBody>{t('waivers.noneHelp')}</EmptyStateBody>
            </EmptyState>
          ) : (
            <WaiverTable waivers={live.items} onDecide={setDecision} />
          )}
        </LiveContent>
      </StackItem>
      {isAsking && <WaiverDialog project={project} rule={ask} onClose={close} />}
      {decision && <DecisionDialog decision={decision} onClose={() => setDecision(undefined)} />}
    </>
  );
}
