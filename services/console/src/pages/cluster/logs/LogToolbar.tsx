import {
  FormSelect,
  FormSelectOption,
  SearchInput,
  Switch,
  Toolbar,
  ToolbarContent,
  ToolbarItem,
} from '@patternfly/react-core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { DownloadButton } from '../access/DownloadButton.js';
import { apiText } from '../../../api/http.js';
import { KINDS, objectPath } from '../../../api/paths.js';
import { useTypedText } from '../../../components/subpages/use-typed-text.js';
import { useClusterKey } from '../use-cluster-key.js';
import type { LogRun } from './log-line.js';
import { LOG_TIMES } from './log-time.js';

interface LogToolbarProps {
  readonly query: string;
  /** Called once typing has paused. */
  readonly onQuery: (query: string) => void;
  /** Lines that contain the query. */
  readonly matches: readonly number[];
  /** What the marked line says. */
  readonly line: string | undefined;
  readonly at: number;
  /** Counts how often somebody went to a line. */
  readonly asked: number;
  readonly onGo: (index: number) => void;
  readonly runs: readonly LogRun[];
  readonly isFollowing: boolean;
  readonly onFollowing: (isFollowing: boolean) => void;
}

/** Search, runs, following and the file. */
export function LogToolbar(props: LogToolbarProps): ReactElement {
  const { isFollowing, onFollowing } = props;
  const { t } = useTranslation('cluster');
  const { project, name } = useClusterKey();
  return (
    <Toolbar className="crate-log-tools">
      <ToolbarContent>
        <ToolbarItem>
          <LogSearch {...props} />
        </ToolbarItem>
        <ToolbarItem>
          <RunChoice {...props} />
        </ToolbarItem>
        <ToolbarItem alignSelf="center">
          <Switch
            id="follow"
            label={t('logs.follow')}
            isChecked={isFollowing}
            onChange={(_, isOn) => onFollowing(isOn)}
          />
        </ToolbarItem>
        <ToolbarItem>
          <DownloadButton
            fileName={`${name}.log`}
            mediaType="text/plain"
            load={() => apiText(`${objectPath(KINDS.cluster, name, project, 'logs')}?timestamps=true`)}
          >
            {t('logs.download')}
          </DownloadButton>
        </ToolbarItem>
      </ToolbarContent>
    </Toolbar>
  );
}

/** Goes from match to match, around both ends. */
function LogSearch({ query, onQuery, matches, line, at, asked, onGo }: LogToolbarProps): ReactElement {
  const { t } = useTranslation('cluster');
  const [text, type] = useTypedText(query, onQuery);
  const place = matches.indexOf(at);
  const step = (by: number): void => {
    const next = matches.at((place + by + matches.length) % Math.max(1, matches.length));
    if (next !== undefined) onGo(next);
  };
  // Told as it was gone to: its number, and how many there are, change with the log.
  const [told, setTold] = useState({ of: '', text: '' });
  const of = `${asked} ${query}`;
  if (place >= 0 && told.of !== of) setTold({ of, text: t('logs.atMatch', { place: place + 1, line }) });
  const standing = matches.length === 0 ? t('logs.noMatch') : t('logs.found');
  return (
    <>
      <SearchInput
        aria-label={t('logs.search')}
        placeholder={t('logs.search')}
        value={text}
        resultsCount={t('logs.matches', { place: place + 1, count: matches.length })}
        previousNavigationButtonAriaLabel={t('logs.previous')}
        nextNavigationButtonAriaLabel={t('logs.next')}
        resetButtonLabel={t('logs.clear')}
        onChange={(_, next) => type(next)}
        onClear={() => type('')}
        onNextClick={() => step(1)}
        onPreviousClick={() => step(place < 0 ? 0 : -1)}
      />
      <span role="status" className="pf-v6-screen-reader">
        {query !== '' && (place < 0 ? standing : told.text)}
      </span>
    </>
  );
}

/** Goes to the beginning of a run, the newest first. */
function RunChoice({ runs, at, onGo }: LogToolbarProps): ReactElement {
  const { t } = useTranslation('cluster');
  return (
    <FormSelect
      aria-label={t('logs.run')}
      value={runs.some(({ index }) => index === at) ? String(at) : ''}
      onChange={(_, value) => value !== '' && onGo(Number(value))}
    >
      <FormSelectOption value="" label={t('logs.goToRun', { count: runs.length })} />
      {runs.toReversed().map(({ index, time, title, outcome }) => (
        <FormSelectOption
          key={time}
          value={String(index)}
          label={`${LOG_TIMES.momentOf(time)} · ${title} · ${t(`logs.outcome.${outcome}`)}`}
        />
      ))}
    </FormSelect>
  );
}
