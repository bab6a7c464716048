import type { ClusterClass, Project } from '@crate/api';
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

interface StepContentProps {
  readonly step: StepName;
  readonly classes: readonly ClusterClass[];
  readonly projects: readonly Project[];
}

/** What a step asks for. */
export function StepContent({ step, classes, projects }: StepContentProps): ReactElement {
  const { draft } = useCreate();
  const project = projects.find(({ metadata }) => metadata.name === draft.metadata.namespace);
  switch (step) {
    case 'start':
      return <StartStep classes={classes} projects={projects} />;
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
