import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, type ReactElement, type UIEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { LogLine } from './log-line.js';
import { placeAfter, type DrawnLines } from './log-place.js';
import { LOG_TIMES } from './log-time.js';
import './logs.css';

const LINE_HEIGHT = 21;

interface LogViewProps {
  readonly lines: readonly LogLine[];
  /** How many came before them. */
  readonly dropped: number;
  readonly query: string;
  /** Line that is shown and marked, counted with those; -1: none. */
  readonly marked: number;
  /** Keeps the end in sight. */
  readonly isFollowing: boolean;
  /** The person went back in the log. */
  readonly onLeaveEnd: () => void;
}

/** The lines of a log; only those in sight are drawn. */
export function LogView({ lines, dropped, query, marked, isFollowing, onLeaveEnd }: LogViewProps): ReactElement {
  const { t } = useTranslation('cluster');
  const box = useRef<HTMLDivElement>(null);
  const top = useRef(0);
  // By wheel, key, finger or the bar alike. What follows the end scrolls down, or stays at it while lines go.
  const scrolled = ({ currentTarget }: UIEvent<HTMLElement>): void => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget;
    if (scrollTop < top.current && scrollHeight - clientHeight - scrollTop > LINE_HEIGHT) onLeaveEnd();
    top.current = scrollTop;
  };
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing it returns is kept beyond a drawing
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
    getItemKey: useCallback((index: number) => index + dropped, [dropped]),
  });
  const drawn = useRef<DrawnLines>({ dropped, items: [] });
  useLayoutEffect(() => {
    const startOf = (index: number): number => virtual.measurementsCache[index]?.start ?? 0;
    const to = placeAfter(drawn.current, virtual.scrollOffset ?? 0, dropped, startOf);
    if (!isFollowing && dropped !== drawn.current.dropped) virtual.scrollToOffset(to);
    drawn.current = { dropped, items: virtual.getVirtualItems() };
  });
  useEffect(() => {
    if (isFollowing && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [isFollowing, lines, virtual]);
  useEffect(() => {
    if (marked >= dropped) virtual.scrollToIndex(marked - dropped, { align: 'center' });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the same line is gone to once, whatever goes before it
  }, [marked, virtual]);
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
