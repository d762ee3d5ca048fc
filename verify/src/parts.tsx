import type { CheckState } from '@firsthand/evidence/report.ts';
import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import type { Line } from '@firsthand/report/words.ts';
import type { JSX } from 'preact';

/** How a mark looks, and how a screen reader says it. */
const MARKS: Record<CheckState, { icon: IconName | null; said: string }> = {
  holds: { icon: 'check', said: 'Holds: ' },
  fails: { icon: 'cross', said: 'Does not hold: ' },
  absent: { icon: null, said: 'Not there: ' },
};

const Mark = ({ state }: { state: CheckState }): JSX.Element => {
  const { icon, said } = MARKS[state];
  return (
    <span class={`mark ${state}`} data-mark={state}>
      {icon ? <Icon name={icon} /> : <span aria-hidden="true">–</span>}
      <span class="unseen">{said}</span>
    </span>
  );
};

/** Lines of the report, each with its mark, those below it further in. */
export const Lines = ({ lines }: { lines: readonly Line[] }): JSX.Element => (
  <ul class="lines">
    {lines.map(({ mark, text, below }) => (
      <li key={text} class={mark ? 'marked' : ''}>
        {mark && <Mark state={mark} />}
        <div>
          <span class="text">{text}</span>
          {below && <Lines lines={below} />}
        </div>
      </li>
    ))}
  </ul>
);
