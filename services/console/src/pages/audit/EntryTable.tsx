import type { AuditEvent } from '@crate/api';
import { Button } from '@patternfly/react-core';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Name } from '../../components/Name.js';
import { useViewState } from '../../components/subpages/use-view-state.js';
import { objectText } from './audit-search.js';
import { OutcomeLabel } from './OutcomeLabel.js';

/** Entries, a line each; one is opened by its time. */
export function EntryTable({ entries }: { readonly entries: readonly AuditEvent[] }): ReactElement {
  const { t } = useTranslation('audit');
  return (
    <Table aria-label={t('title')} variant="compact" gridBreakPoint="grid-lg">
      <Thead>
        <Tr>
          <Th>{t('col.time')}</Th>
          <Th width={20}>{t('col.user')}</Th>
          <Th>{t('col.verb')}</Th>
          <Th>{t('col.object')}</Th>
          <Th>{t('col.project')}</Th>
          <Th>{t('col.outcome')}</Th>
          <Th>{t('col.changes')}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {entries.map((entry) => (
          <EntryRow key={entry.metadata.name} entry={entry} />
        ))}
      </Tbody>
    </Table>
  );
}

function EntryRow({ entry }: { readonly entry: AuditEvent }): ReactElement {
  const { t } = useTranslation('audit');
  const { user, verb, object, dryRun, changes = [], changesOmitted = 0 } = entry;
  return (
    <Tr>
      <Td dataLabel={t('col.time')} className="crate-word">
        <OpenButton entry={entry} />
      </Td>
      <Td dataLabel={t('col.user')}>
        <Name>{user}</Name>
      </Td>
      <Td dataLabel={t('col.verb')}>{verb}</Td>
      <Td dataLabel={t('col.object')}>
        <Name>{objectText(entry)}</Name>
      </Td>
      <Td dataLabel={t('col.project')}>
        <Name>{object.namespace ?? '–'}</Name>
      </Td>
      <Td dataLabel={t('col.outcome')}>
        <div>
          <OutcomeLabel entry={entry} /> {dryRun && <small className="crate-word">{t('entry.dryRun')}</small>}
        </div>
      </Td>
      <Td dataLabel={t('col.changes')}>{changes.length + changesOmitted}</Td>
    </Tr>
  );
}

function OpenButton({ entry }: { readonly entry: AuditEvent }): ReactElement {
  const { t } = useTranslation('audit');
  const [, setView] = useViewState();
  const { metadata, user, verb } = entry;
  const time = new Date(entry.time).toLocaleString();
  return (
    <Button
      variant="link"
      isInline
      aria-label={`${time} ${t('open', { user, verb, object: objectText(entry) })}`}
      onClick={() => setView({ entry: `${metadata.namespace ?? ''}/${metadata.name}` })}
    >
      {time}
    </Button>
  );
}
