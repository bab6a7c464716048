import { Button, Flex, FlexItem } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KINDS, objectPath } from '../../api/paths.js';

const FORMATS = ['csv', 'json', 'sarif', 'html', 'pdf'] as const;

interface ExportLinksProps {
  readonly project: string;
  /** Name of the report: the cluster's; absent: that of the whole Project. */
  readonly cluster?: string | undefined;
}

/** The report as a file; the browser loads it with the session's cookie. */
export function ExportLinks({ project, cluster }: ExportLinksProps): ReactElement {
  const { t } = useTranslation('policies');
  const path = objectPath(KINDS.policyReport, cluster ?? `project.${project}`, project, 'export');
  return (
    <Flex columnGap={{ default: 'columnGapSm' }}>
      <FlexItem>{t('export.label')}</FlexItem>
      {FORMATS.map((format) => (
        <Button
          key={format}
          component="a"
          variant="link"
          isInline
          href={`${path}?format=${format}`}
          download
          aria-label={t('export.as', { format: t(`export.${format}`) })}
        >
          {t(`export.${format}`)}
        </Button>
      ))}
    </Flex>
  );
}
