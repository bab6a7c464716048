import type { Cluster, PhaseProgress } from '@crate/api';
import {
  Card,
  CardBody,
  CardTitle,
  Progress,
  ProgressMeasureLocation,
  ProgressStep,
  ProgressStepper,
  type ProgressStepProps,
} from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ageText } from '../../../components/age-text.js';
import { useNow } from '../../../components/use-now.js';
import { useCluster } from '../cluster-context.js';
import type { Texts } from '../texts.js';
import { phaseTimes, wasDone, type PhaseTime } from './phase-times.js';

const VARIANTS: Readonly<Record<PhaseProgress['state'], ProgressStepProps['variant']>> = {
  Pending: 'pending',
  Running: 'info',
  Done: 'success',
  Failed: 'danger',
};

/** The journey of the cluster: its phases, how far each is and how long it took. */
export function Timeline(): ReactElement {
  const { t } = useTranslation('cluster');
  const cluster = useCluster();
  const phases = cluster.status?.phases ?? [];
  const times = phaseTimes(cluster);
  // A later one may be worked on as well: it is the first that the cluster waits for.
  const current = phases.find(({ state }) => state === 'Running' || state === 'Failed');
  return (
    <Card isFullHeight>
      <CardTitle component="h2">
        {t(cluster.metadata.deletionTimestamp ? 'timeline.deletion' : 'timeline.title')}
      </CardTitle>
      <CardBody>
        {phases.length === 0 ? (
          <p>{t('timeline.none')}</p>
        ) : (
          <ProgressStepper isVertical aria-label={t('timeline.title')}>
            {phases.map((phase) => (
              <ProgressStep
                key={phase.name}
                id={`phase-${phase.name}`}
                titleId={`phase-title-${phase.name.replaceAll(' ', '-')}`}
                variant={VARIANTS[phase.state]}
                isCurrent={phase === current}
                aria-label={t('timeline.step', {
                  name: phaseName(t, phase),
                  state: stateText(t, cluster, phase),
                })}
                description={<PhaseDetail cluster={cluster} phase={phase} time={times.get(phase.name) ?? {}} />}
              >
                {phaseName(t, phase)}
              </ProgressStep>
            ))}
          </ProgressStepper>
        )}
      </CardBody>
    </Card>
  );
}

interface PhaseDetailProps {
  readonly cluster: Cluster;
  readonly phase: PhaseProgress;
  readonly time: PhaseTime;
}

function PhaseDetail({ cluster, phase, time }: PhaseDetailProps): ReactElement {
  const { t } = useTranslation('cluster');
  const now = useNow();
  const { state, step, steps, message } = phase;
  const { begin, end } = time;
  const took = begin === undefined ? '' : ageText((end ?? now) - begin) || t('timeline.moment');
  if (state === 'Done') return <>{took === '' ? t('timeline.stands') : t('timeline.took', { took })}</>;
  if (state === 'Pending') return <>{stateText(t, cluster, phase)}</>;
  return (
    <>
      {message} {took !== '' && `· ${t('timeline.since', { took })}`}
      {steps > 1 && (
        <Progress
          size="sm"
          aria-label={t('timeline.progress', { name: phaseName(t, phase) })}
          value={step}
          max={steps}
          label={t('timeline.steps', { step, steps })}
          valueText={t('timeline.steps', { step, steps })}
          measureLocation={ProgressMeasureLocation.outside}
          {...(state === 'Failed' ? { variant: 'danger' as const } : {})}
        />
      )}
    </>
  );
}

function stateText(t: Texts, cluster: Cluster, phase: PhaseProgress): string {
  return wasDone(cluster, phase) ? t('timeline.waits') : t(`timeline.state.${phase.state}`);
}

function phaseName(t: Texts, { name }: PhaseProgress): string {
  return t(`phase.${name}`, { defaultValue: name });
}
