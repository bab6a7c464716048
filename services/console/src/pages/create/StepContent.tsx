import type { ReactElement } from 'react';
import { AddOnsStep } from './AddOnsStep.js';
import { CloudStep } from './CloudStep.js';
import { useCreate } from './create-context.js';
import { KubernetesStep } from './KubernetesStep.js';
import { NetworkStep } from './NetworkStep.js';
import { PoolsStep } from './PoolsStep.js';
import { ReviewStep } from './ReviewStep.js';
import { StartStep } from './StartStep.js';
import type { StepName } from './steps.js';
import type { Offers } from './use-offers.js';

interface StepContentProps {
  readonly step: StepName;
  readonly offers: Offers;
}

/** What a step asks for. */
export function StepContent({ step, offers }: StepContentProps): ReactElement {
  const { draft } = useCreate();
  const project = offers.projects.find(({ metadata }) => metadata.name === draft.metadata.namespace);
  switch (step) {
    case 'start':
      return <StartStep {...offers} />;
    case 'cloud':
      return <CloudStep project={project} />;
    case 'kubernetes':
      return <KubernetesStep />;
    case 'network':
      return <NetworkStep />;
    case 'pools':
      return <PoolsStep project={project} />;
    case 'addOns':
      return <AddOnsStep />;
    case 'review':
      return <ReviewStep />;
  }
}
