import { Card, CardBody, CardTitle, List, ListItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../components/Name.js';
import { YamlDiff } from '../../../components/yaml-editor/YamlDiff.js';
import type { WriteOutcome } from '../dry-run.js';
import { yamlOf } from './cluster-yaml.js';

interface DryRunResultProps {
  readonly before: string;
  readonly outcome: WriteOutcome;
}

/** What the server would make of a document, beside what there is, and what that leads to. */
export function DryRunResult({ before, outcome }: DryRunResultProps): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <Card>
      <CardTitle component="h2">{t('preview.title')}</CardTitle>
      <CardBody>
        <List aria-label={t('preview.title')}>
          {outcome.warnings.map((warning) => (
            <ListItem key={warning}>
              <Name>{warning}</Name>
            </ListItem>
          ))}
        </List>
        <YamlDiff before={before} after={yamlOf(outcome.cluster)} ariaLabel={t('yaml.diff')} />
      </CardBody>
    </Card>
  );
}
