import type { PolicyImpact } from '@crate/api';
import { Alert, Card, CardBody, CardTitle } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

const SIDES = ['newlyDenied', 'newlyWarned', 'noLonger'] as const;

/** What a rule would lead to: in one line, and document by document. */
export function ImpactView({ impact }: { readonly impact: PolicyImpact }): ReactElement {
  const { t } = useTranslation('policies');
  const { counts, incomplete, summary } = impact;
  const changed = counts.newlyDenied + counts.newlyWarned + counts.noLonger;
  return (
    <>
      <Alert
        variant={counts.newlyDenied > 0 ? 'danger' : changed > 0 ? 'warning' : 'success'}
        isInline
        isLiveRegion
        component="h2"
        title={summary === '' ? t('try.nothing') : summary}
      >
        {incomplete && <p>{t('try.incomplete')}</p>}
      </Alert>
      {SIDES.filter((side) => counts[side] > 0).map((side) => (
        <Card key={side}>
          <CardTitle component="h3">{t(`try.${side}`)}</CardTitle>
          <CardBody>
            <Consequences label={t(`try.${side}`)} consequences={impact[side]} />
            {counts[side] > impact[side].length && (
              <p>{t('try.more', { count: counts[side] - impact[side].length })}</p>
            )}
          </CardBody>
        </Card>
      ))}
    </>
  );
}

interface ConsequencesProps {
  readonly label: string;
  readonly consequences: PolicyImpact['newlyDenied'];
}

function Consequences({ label, consequences }: ConsequencesProps): ReactElement {
  const { t } = useTranslation('policies');
  return (
    <Table aria-label={label} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('try.project')}</Th>
          <Th>{t('try.cluster')}</Th>
          <Th>{t('try.documentName')}</Th>
          <Th>{t('try.field')}</Th>
          <Th width={40}>{t('try.message')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {consequences.map(({ project, cluster, stage, kind, name, field, message }) => (
          <Tr key={`${project}/${cluster}/${stage}/${kind}/${name}`}>
            <Td dataLabel={t('try.project')}>{project}</Td>
            <Td dataLabel={t('try.cluster')}>
              <Link to="/clusters/$project/$name/overview" params={{ project, name: cluster }}>
                {cluster}
              </Link>
            </Td>
            <Td dataLabel={t('try.documentName')}>{`${stage}: ${name}`}</Td>
            <Td dataLabel={t('try.field')} modifier="breakWord">
              <code>{field}</code>
            </Td>
            <Td dataLabel={t('try.message')} modifier="breakWord">
              {message}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
