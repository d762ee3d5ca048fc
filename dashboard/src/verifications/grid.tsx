import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { MessageKey } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { OutcomeTag } from '../case/verification/outcome.tsx';
import type { Row } from './rows.ts';

const COLUMNS = ['pick', 'outcome', 'about', 'reason', 'review', 'score', 'photos', 'created', 'took'] as const;
/** Below this width a row takes two lines. */
const NARROW = '(max-width: 760px)';
/** The next page is asked for when this many rows are left below. */
const AHEAD = 40;

/** The rows, of which only those in sight are in the document. One row has the focus; the arrows move it. */
export function Grid({
  rows,
  label,
  more,
  onMore,
  foot,
  picked,
  onPick,
}: {
  rows: readonly Row[];
  label: string;
  more: boolean;
  onMore: () => void;
  foot: ReactNode;
  /** Whether a row is picked for an act on many. */
  picked: (id: string) => boolean;
  /** Picks rows, or lets them go. */
  onPick: (ids: readonly string[], on: boolean) => void;
}) {
  const { t } = useWords();
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  /** Where a stretch that Shift picks begins. */
  const from = useRef(0);
  const narrow = useNarrow();
  const height = narrow ? 76 : 40;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
    getItemKey: index => rows[index]!.id,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height of rows is another layout
  useEffect(() => virtual.measure(), [height]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && rows.length > 0 && last >= rows.length - AHEAD) onMore();
  }, [more, last, rows.length, onMore]);

  const focusRow = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    setAt(to);
    virtual.scrollToIndex(to);
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[aria-rowindex="${to + 2}"] a`)?.focus({ preventScroll: true }),
    );
  };
  const pick = (index: number, on: boolean, stretch: boolean) => {
    const [low, high] = stretch ? [Math.min(from.current, index), Math.max(from.current, index)] : [index, index];
    from.current = index;
    onPick(
      rows.slice(low, high + 1).map(row => row.id),
      on,
    );
  };
  const everyPicked = rows.length > 0 && rows.every(row => picked(row.id));
  const move = (event: KeyboardEvent) => {
    if (event.key === ' ' && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      return pick(at, !picked(rows[at]!.id), event.shiftKey);
    }
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 400) / height) - 2);
    const by: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const to = by[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    focusRow(to);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out the rows that are out of sight
    <div
      className="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={more ? -1 : rows.length + 1}
      aria-colcount={COLUMNS.length}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: headings do nothing */}
      <div className="grid-head" role="row" aria-rowindex={1}>
        {COLUMNS.map(column => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: headings do nothing
          <span key={column} role="columnheader" className={`cell-${column}`}>
            {column === 'pick' ? (
              <input
                type="checkbox"
                aria-label={t('bulk.pickAll')}
                checked={everyPicked}
                onChange={() =>
                  onPick(
                    rows.map(row => row.id),
                    !everyPicked,
                  )
                }
              />
            ) : (
              t(`column.${column}`)
            )}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div className="grid-body" ref={box} role="rowgroup" onKeyDown={move}>
        <div className="grid-sky" style={{ height: virtual.getTotalSize() }}>
          {items.map(item => (
            <GridRow
              key={item.key}
              row={rows[item.index]!}
              index={item.index}
              top={item.start}
              current={item.index === at}
              onFocus={() => setAt(item.index)}
              picked={picked(rows[item.index]!.id)}
              onPick={(on, stretch) => pick(item.index, on, stretch)}
            />
          ))}
        </div>
        {foot}
      </div>
    </div>
  );
}

function GridRow({
  row,
  index,
  top,
  current,
  onFocus,
  picked,
  onPick,
}: {
  row: Row;
  index: number;
  top: number;
  current: boolean;
  onFocus: () => void;
  picked: boolean;
  onPick: (on: boolean, stretch: boolean) => void;
}) {
  const { t, number } = useWords();
  const { ago, exactly, span } = useMoments();
  const reason = reasonOf(row);
  const cell = (column: (typeof COLUMNS)[number], children: ReactNode) => (
    // biome-ignore lint/a11y/useSemanticElements: a cell of the grid above
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is on the row's link
    <span role="gridcell" className={`cell-${column}`}>
      {children}
    </span>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid above
    <div
      className="grid-row"
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${top}px)` }}
      aria-selected={picked}
      onFocus={onFocus}
    >
      {cell(
        'pick',
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={t('bulk.pick', { id: row.id.slice(-6) })}
          checked={picked}
          onChange={event =>
            onPick(event.target.checked, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
          }
        />,
      )}
      {cell('outcome', <OutcomeTag of={row} />)}
      {cell(
        'about',
        <Link href={`/verifications/${row.id}`} tabIndex={current ? 0 : -1} className="grid-link">
          <span className="grid-about">{row.about || t('verifications.noDetails')}</span>{' '}
          <code className="soft">…{row.id.slice(-6)}</code>
        </Link>,
      )}
      {cell('reason', reason && t(`reason.${reason}` satisfies MessageKey))}
      {cell(
        'review',
        row.review.decision
          ? t(`decision.${row.review.decision}`)
          : row.review.state !== 'none' && t(`reviewState.${row.review.state}`),
      )}
      {cell('score', row.verdict && number(Math.floor(row.verdict.score * 100) / 100, { style: 'percent' }))}
      {cell('photos', t('verifications.photosOf', { n: row.captures_count, of: row.wanted }))}
      {cell(
        'created',
        <time dateTime={row.created_at} title={exactly(row.created_at)}>
          {ago(row.created_at)}
        </time>,
      )}
      {cell('took', row.completed_at && span(Date.parse(row.completed_at) - Date.parse(row.created_at)))}
    </div>
  );
}

/** Why a verdict is not `verified`; `none` where a check is missing. */
const reasonOf = ({ verdict }: Row) =>
  verdict && verdict.label !== 'verified' ? (verdict.reason_code ?? 'none') : undefined;

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const heard = () => setNarrow(media.matches);
    media.addEventListener('change', heard);
    return () => media.removeEventListener('change', heard);
  }, []);
  return narrow;
}
