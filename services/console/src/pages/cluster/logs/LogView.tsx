import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { LogLine } from './log-line.js';
import { LOG_TIMES } from './log-time.js';
import './logs.css';
import { useLogScroll, type ScrolledLog } from './use-log-scroll.js';

interface LogViewProps extends ScrolledLog {
  readonly query: string;
}

/** The lines of a log; only those in sight are drawn. */
export function LogView({ query, ...log }: LogViewProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { lines, dropped, marked } = log;
  const { box, virtual, scrolled } = useLogScroll(log);
  return (
    <div
      ref={box}
      className="crate-log"
      role="log"
      aria-live="off"
      aria-label={t('logs.title')}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      onScroll={scrolled}
    >
      <div className="crate-log-lines" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => (
          <div
            key={index + dropped}
            ref={virtual.measureElement}
            data-index={index}
            aria-current={index + dropped === marked || undefined}
            className={index + dropped === marked ? 'crate-log-line crate-log-at' : 'crate-log-line'}
            style={{ transform: `translateY(${start}px)` }}
          >
            <Line line={lines[index] as LogLine} query={query} />
          </div>
        ))}
      </div>
    </div>
  );
}

function Line({ line, query }: { readonly line: LogLine; readonly query: string }): ReactElement {
  const { time, source, text } = line;
  return (
    <>
      <time dateTime={time} title={time}>
        {LOG_TIMES.clockOf(time)}
      </time>{' '}
      <b>{source}</b> <Highlighted text={text} query={query} />
    </>
  );
}

function Highlighted({ text, query }: { readonly text: string; readonly query: string }): ReactElement {
  const at = query === '' ? -1 : text.toLowerCase().indexOf(query.toLowerCase());
  if (at < 0) return <>{text}</>;
  const end = at + query.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      <Highlighted text={text.slice(end)} query={query} />
    </>
  );
}
