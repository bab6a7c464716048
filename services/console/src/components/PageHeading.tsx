import { Content, Flex, FlexItem, PageSection, Title } from '@patternfly/react-core';
import { useEffect, type ReactElement, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useArrival } from './use-arrival.js';

interface PageHeadingProps {
  readonly title: string;
  readonly subtitle?: ReactNode;
  /** Beside the title: labels of state. */
  readonly labels?: ReactNode;
  /** At the end of the line: what can be done. */
  readonly actions?: ReactNode;
}

/** The one first-level heading of a page; names the browser's tab, too. */
export function PageHeading({ title, subtitle, labels, actions }: PageHeadingProps): ReactElement {
  const { t } = useTranslation();
  const heading = useArrival();
  useEffect(() => {
    document.title = `${title} · ${t('product')}`;
  }, [title, t]);
  return (
    <PageSection>
      <Flex justifyContent={{ default: 'justifyContentSpaceBetween' }} rowGap={{ default: 'rowGapMd' }}>
        <Flex>
          <FlexItem>
            <Title ref={heading} tabIndex={-1} headingLevel="h1">
              {title}
            </Title>
          </FlexItem>
          {labels !== undefined && <FlexItem>{labels}</FlexItem>}
        </Flex>
        {actions !== undefined && <FlexItem>{actions}</FlexItem>}
      </Flex>
      {subtitle !== undefined && <Content className="crate-subtitle">{subtitle}</Content>}
    </PageSection>
  );
}
