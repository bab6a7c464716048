import {
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
} from '@patternfly/react-core';
import type { ReactElement, ReactNode } from 'react';

interface FactsCardProps {
  readonly title: string;
  readonly facts: readonly (readonly [string, ReactNode])[];
  /** Level of the title; default h2. */
  readonly heading?: 'h2' | 'h3';
  /** Stands beside others: as high as they are, in one narrow column. */
  readonly isNarrow?: boolean;
  /** What changes them. */
  readonly edit?: ReactNode;
  /** A dialog, while it is open. */
  readonly children?: ReactNode;
}

/** A few things that are so. */
export function FactsCard(props: FactsCardProps): ReactElement {
  const { title, facts, heading = 'h2', isNarrow = false, edit, children } = props;
  const columns = isNarrow ? { isCompact: true } : { columnModifier: { lg: '2Col' as const } };
  return (
    <Card isFullHeight={isNarrow}>
      <CardHeader hasWrap {...(edit === undefined ? {} : { actions: { actions: edit } })}>
        <CardTitle component={heading}>{title}</CardTitle>
      </CardHeader>
      <CardBody>
        <DescriptionList {...columns}>
          {facts.map(([term, fact]) => (
            <DescriptionListGroup key={term}>
              <DescriptionListTerm>{term}</DescriptionListTerm>
              <DescriptionListDescription>{fact}</DescriptionListDescription>
            </DescriptionListGroup>
          ))}
        </DescriptionList>
      </CardBody>
      {children}
    </Card>
  );
}
