import type { CheckState, Line } from '@firsthand/evidence/report.ts';
import { ICONS, type IconName, LOGO } from '@firsthand/look/drawings.ts';
import type { JSX } from 'preact';

export const Icon = ({ name }: { name: IconName }): JSX.Element => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

export const Logo = (): JSX.Element => (
  <svg class="logo" viewBox="0 0 172 46" role="img" aria-label="Firsthand">
    <g fill="none" stroke="currentColor" stroke-width="3.9" stroke-linecap="round" stroke-linejoin="round">
      <path d={LOGO.letters} />
      {LOGO.rounds.map(round => (
        <circle key={round.cx} {...round} />
      ))}
      <g class="logo-dot" stroke-width="1.15" transform={LOGO.dot.at}>
        <circle r={LOGO.dot.radius} stroke-width="1.5" />
        <path d={LOGO.dot.blades} />
      </g>
    </g>
  </svg>
);

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
