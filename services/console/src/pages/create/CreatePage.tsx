import './create.css';
import {
  ActionList,
  ActionListItem,
  Button,
  PageSection,
  Tab,
  Tabs,
  TabTitleIcon,
  TabTitleText,
} from '@patternfly/react-core';
import { ExclamationCircleIcon } from '@patternfly/react-icons';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useInCluster } from '../../api/use-in-cluster.js';
import { PageHeading } from '../../components/PageHeading.js';
import { useCurrentInSight } from '../../components/subpages/use-current-in-sight.js';
import strings from '../../i18n/en/create.json' with { type: 'json' };
import { addStrings } from '../../i18n/index.js';
import { causesOfStep, CreateProvider, type CreateState } from './create-context.js';
import type { Draft } from './draft.js';
import { FeedbackPanel } from './FeedbackPanel.js';
import { NotMadeHere } from './NotMadeHere.js';
import { secretParameters, secretValues } from './secrets.js';
import { StepContent } from './StepContent.js';
import { STEPS, type StepName } from './steps.js';
import { useCatalogue } from './use-catalogue.js';
import { useDraft, type Beginning } from './use-draft.js';
import { useJudgement } from './use-judgement.js';
import { useOffers } from './use-offers.js';

addStrings('create', strings);

/** Makes a cluster, where clusters are made. */
export function CreatePage(): ReactElement {
  return useInCluster() ? <NotMadeHere /> : <Wizard />;
}

/** Makes a cluster step by step, each checked by the server as it is filled in; ends in the document that is applied. */
function Wizard(): ReactElement {
  const { t } = useTranslation('create');
  const [step, beginning, goTo] = useStep();
  useCurrentInSight(step);
  const offers = useOffers();
  const { classes } = offers;
  const { data: catalogue } = useCatalogue();
  const secretsOf = useCallback(
    (draft: Draft) => [...secretParameters(draft, classes), ...secretValues(draft, catalogue?.items ?? [])],
    [classes, catalogue],
  );
  const draftState = useDraft(beginning, secretsOf);
  const live = useJudgement(draftState.draft);
  const [seen, setSeen] = useState<ReadonlySet<StepName>>(new Set());
  const content = useRef<HTMLDivElement>(null);
  const state: CreateState = { ...draftState, live, seen };
  const go = (next: StepName): void => {
    setSeen(new Set([...seen, step]));
    goTo(next);
    content.current?.focus();
  };
  return (
    <CreateProvider value={state}>
      <PageHeading title={t('title')} subtitle={t('subtitle')} />
      <PageSection>
        <Tabs activeKey={step} onSelect={(_event, key) => go(key as StepName)} aria-label={t('steps')}>
          {STEPS.map((each, index) => (
            <Tab
              key={each}
              eventKey={each}
              tabContentId="create-step"
              title={<StepTitle name={each} number={index + 1} hasErrors={hasErrors(state, each)} />}
            />
          ))}
        </Tabs>
        <div className="crate-create">
          <div id="create-step" role="tabpanel" aria-label={t(`step.${step}`)} ref={content} tabIndex={-1}>
            <StepContent step={step} offers={offers} />
            <StepButtons step={step} onStep={go} />
          </div>
          <FeedbackPanel onStep={go} />
        </div>
      </PageSection>
    </CreateProvider>
  );
}

function hasErrors(state: CreateState, step: StepName): boolean {
  return state.seen.has(step) && causesOfStep(state, step).length > 0;
}

interface StepTitleProps {
  readonly name: StepName;
  readonly number: number;
  readonly hasErrors: boolean;
}

function StepTitle({ name, number, hasErrors: isWrong }: StepTitleProps): ReactElement {
  const { t } = useTranslation('create');
  return (
    <>
      {isWrong && (
        <TabTitleIcon>
          <ExclamationCircleIcon aria-label={t('incomplete')} aria-hidden="false" role="img" />
        </TabTitleIcon>
      )}
      <TabTitleText>{t('stepTitle', { number, name: t(`step.${name}`) })}</TabTitleText>
    </>
  );
}

interface StepButtonsProps {
  readonly step: StepName;
  readonly onStep: (step: StepName) => void;
}

function StepButtons({ step, onStep }: StepButtonsProps): ReactElement {
  const { t } = useTranslation('create');
  const at = STEPS.indexOf(step);
  const [before, after] = [STEPS[at - 1], STEPS[at + 1]];
  return (
    <ActionList className="crate-create-buttons">
      {before && (
        <ActionListItem>
          <Button variant="secondary" onClick={() => onStep(before)}>
            {t('back')}
          </Button>
        </ActionListItem>
      )}
      {after && (
        <ActionListItem>
          <Button variant="primary" onClick={() => onStep(after)}>
            {t('next', { name: t(`step.${after}`) })}
          </Button>
        </ActionListItem>
      )}
    </ActionList>
  );
}

/** The step that the URL names, what it asks to begin with, and how to go to another. */
function useStep(): readonly [StepName, Beginning, (step: StepName) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const step = STEPS.find((each) => each === search['step']) ?? 'start';
  const beginning = { project: text(search['project']), className: text(search['class']) };
  const go = useCallback((next: StepName) => void navigate({ to: '/create', search: { step: next } }), [navigate]);
  return [step, beginning, go];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
