import { LABELS, REVIEW_STATES, STATUSES } from '@firsthand/contract/base/enums.ts';
import { useEffect, useState } from 'react';
import { useWords } from '../base/language.tsx';
import { Choose } from '../base/parts/choose.tsx';
import { Days } from '../base/parts/days.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { type Filters, SEARCH_MAX } from './filters.ts';

/** The list asks again when nothing was typed for this long. */
const TYPING_MS = 300;

interface FilterProps {
  filters: Filters;
  onChange: (filters: Filters) => void;
}

export function FilterBar({ filters, onChange }: FilterProps) {
  const { t } = useWords();
  return (
    <search className="filters line">
      <SearchField filters={filters} onChange={onChange} />
      <Choose
        label={t('filter.verdict')}
        values={LABELS}
        nameOf={value => t(`verdict.${value}`)}
        chosen={filters.verdict}
        onChange={verdict => onChange({ ...filters, verdict })}
      />
      <Choose
        label={t('filter.status')}
        values={STATUSES}
        nameOf={value => t(value === 'expired' ? 'status.ended' : `status.${value}`)}
        chosen={filters.status}
        onChange={status => onChange({ ...filters, status })}
      />
      <Choose
        label={t('filter.review')}
        values={REVIEW_STATES}
        nameOf={value => t(`reviewState.${value}`)}
        chosen={filters.review}
        onChange={review => onChange({ ...filters, review })}
      />
      <Days label={t('filter.days')} range={filters} onChange={({ from, to }) => onChange({ ...filters, from, to })} />
    </search>
  );
}

/** Searches once the person stops to type. */
function SearchField({ filters, onChange }: FilterProps) {
  const { t } = useWords();
  const [q, setQ] = useState(filters.q);
  useEffect(() => setQ(filters.q), [filters.q]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing asks; filters that change do not
  useEffect(() => {
    if (q === filters.q) return undefined;
    const timer = setTimeout(() => onChange({ ...filters, q }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [q]);
  return (
    <label className="search">
      <span className="unseen">{t('filter.search')}</span>
      <Icon name="search" />
      <input
        id="search"
        type="search"
        className="input"
        placeholder={t('filter.searchHint')}
        value={q}
        maxLength={SEARCH_MAX}
        onChange={event => setQ(event.target.value)}
      />
    </label>
  );
}
