import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { shortId } from '../base/case-name.ts';
import type { MessageKey } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Ago } from '../base/parts/shown.tsx';
import { OutcomeTag, useScore } from '../case/verification/outcome.tsx';
import { useShortcuts } from '../entry/keys/shortcuts.ts';
import type { Row } from './rows.ts';

const COLUMNS = ['pick', 'outcome', 'about', 'reason', 'review', 'score', 'photos', 'created', 'took'] as const;
type Column = (typeof COLUMNS)[number];
/** Below this width a row takes two lines. */
const NARROW = '(max-width: 760px)';
/** The next page is asked for when this many rows are left below. */
const AHEAD = 40;

interface Picking {
  /** Whether a row is picked for an action on many. */
  picked: (id: string) => boolean;
  /** Picks rows, or lets them go. */
  onPick: (ids: readonly string[], on: boolean) => void;
}

interface GridProps extends Picking {
  rows: readonly Row[];
  label: string;
  more: boolean;
  onMore: () => void;
  foot: ReactNode;
}

/** The rows, of which only those in sight are in the document. One row has the focus; the arrows move it. */
export function Grid({ rows, label, more, onMore, foot, picked, onPick }: GridProps) {
  const { t } = useWords();
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const height = useNarrow() ? 76 : 40;
  const virtual = useRowsInSight(box, rows, height);
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && rows.length > 0 && last >= rows.length - AHEAD) onMore();
  }, [more, last, rows.length, onMore]);
  const pick = useStretch(rows, onPick);

  const focusRow = (index: number) => {
    const to = Math.max(0, Math.min(rows.length - 1, index));
    setAt(to);
    virtual.scrollToIndex(to);
    requestAnimationFrame(() => focusLink(box.current, to));
  };
  const step = (by: number) => {
    if (rows.length > 0) focusRow(box.current?.contains(document.activeElement) ? at + by : at);
  };
  // From anywhere on the page, so that nobody needs to tab through the filters.
  useShortcuts([
    { key: 'j', label: t('list.nextRow'), run: () => step(1) },
    { key: 'k', label: t('list.rowBefore'), run: () => step(-1) },
  ]);
  const press = (event: KeyboardEvent) => {
    const row = rows[at];
    if (row && event.key === ' ' && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      return pick(at, !picked(row.id), event.shiftKey);
    }
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 400) / height) - 2);
    const to = placeAfter(event.key, { at, page, last: rows.length - 1 });
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
      <Head rows={rows} picked={picked} onPick={onPick} />
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div className="grid-body" ref={box} role="rowgroup" onKeyDown={press}>
        <div className="grid-sky" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => (
            <GridRow
              key={key}
              row={rows[index]!}
              index={index}
              top={start}
              current={index === at}
              onFocus={() => setAt(index)}
              picked={picked(rows[index]!.id)}
              onPick={(on, stretch) => pick(index, on, stretch)}
            />
          ))}
        </div>
        {foot}
      </div>
    </div>
  );
}

const focusLink = (box: HTMLElement | null, index: number) =>
  box?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"] a`)?.focus({ preventScroll: true });

function useRowsInSight(box: RefObject<HTMLDivElement | null>, rows: readonly Row[], height: number) {
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
    getItemKey: index => rows[index]!.id,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height of rows is another layout
  useEffect(() => virtual.measure(), [height]);
  return virtual;
}

/** Picks one row, or with Shift all rows from the one picked before. */
function useStretch(rows: readonly Row[], onPick: Picking['onPick']) {
  const from = useRef(0);
  return (index: number, on: boolean, stretch: boolean) => {
    const [low, high] = stretch ? [Math.min(from.current, index), Math.max(from.current, index)] : [index, index];
    from.current = index;
    onPick(
      rows.slice(low, high + 1).map(row => row.id),
      on,
    );
  };
}

/** The row that a key leads to; undefined for a key that leads nowhere. */
function placeAfter(key: string, { at, page, last }: { at: number; page: number; last: number }): number | undefined {
  const places: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  };
  return places[key];
}

function Head({ rows, picked, onPick }: Picking & { rows: readonly Row[] }) {
  const { t } = useWords();
  const everyPicked = rows.length > 0 && rows.every(row => picked(row.id));
  const all = () => rows.map(row => row.id);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid above
    // biome-ignore lint/a11y/useFocusableInteractive: headings do nothing
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
              onChange={() => onPick(all(), !everyPicked)}
            />
          ) : (
            t(`column.${column}`)
          )}
        </span>
      ))}
    </div>
  );
}

interface GridRowProps {
  row: Row;
  index: number;
  top: number;
  current: boolean;
  onFocus: () => void;
  picked: boolean;
  onPick: (on: boolean, stretch: boolean) => void;
}

function GridRow({ row, index, top, current, onFocus, picked, onPick }: GridRowProps) {
  const { t } = useWords();
  const [name, details] = row.about;
  const cells: Record<Column, ReactNode> = {
    pick: (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={t('bulk.pick', { name: `${name ?? t('case.unnamed')} ${shortId(row.id)}` })}
        checked={picked}
        onChange={event =>
          onPick(event.target.checked, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
        }
      />
    ),
    about: (
      <Link href={`/verifications/${row.id}`} tabIndex={current ? 0 : -1} className="grid-link">
        <span className="grid-about">
          <span>{name || t('case.unnamed')}</span>
          {details && <span className="soft"> · {details}</span>}
        </span>{' '}
        <code className="soft">{shortId(row.id)}</code>
      </Link>
    ),
    ...useFacts(row),
  };
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
      {COLUMNS.map(column => (
        // biome-ignore lint/a11y/useSemanticElements: a cell of the grid above
        // biome-ignore lint/a11y/useFocusableInteractive: the focus is on the row's link
        <span key={column} role="gridcell" className={`cell-${column}`}>
          {cells[column]}
        </span>
      ))}
    </div>
  );
}

/** What is known of a verification, by column. */
function useFacts(row: Row): Record<Exclude<Column, 'pick' | 'about'>, ReactNode> {
  const { t, number } = useWords();
  const score = useScore();
  const { span } = useMoments();
  const { review, verdict, created_at, completed_at } = row;
  const reason = reasonOf(row);
  return {
    outcome: <OutcomeTag of={row} />,
    reason: reason && t(`reason.${reason}` satisfies MessageKey),
    review: review.decision
      ? t(`decision.${review.decision}`)
      : review.state !== 'none' && t(`reviewState.${review.state}`),
    score: verdict && score(verdict),
    photos:
      row.captures_count < row.wanted
        ? t('verifications.photosOf', { n: row.captures_count, of: row.wanted })
        : number(row.captures_count),
    created: <Ago at={created_at} />,
    took: completed_at && span(Date.parse(completed_at) - Date.parse(created_at)),
  };
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
