import { ICONS, LOGO } from '@firsthand/look/drawings.ts';

const OWN = {
  key: 'M8 8.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6M11.8 12h9.2M17 12v3.2M20.2 12v2.4',
  mail: 'M4.5 6h15a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-15a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1M4 7l8 6 8-6',
  phone: 'M8 3.5h8a1 1 0 0 1 1 1v15a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1M10.5 17.5h3',
  home: 'M4.5 11L12 4.5l7.5 6.5M6.5 9.5V19h11V9.5M10 19v-5h4v5',
  people:
    'M9 5.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M3.5 19c0-3 2.2-5 5.5-5s5.5 2 5.5 5M15.5 6a2.7 2.7 0 0 1 0 5.2M17 14.3c2.2.5 3.5 2.2 3.5 4.7',
  person: 'M12 4.5a3.7 3.7 0 1 0 0 7.4 3.7 3.7 0 0 0 0-7.4M4.8 20c0-3.7 2.9-6 7.2-6s7.2 2.3 7.2 6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  down: 'M6 9.5l6 6 6-6',
  leave: 'M14 7.5V5a1 1 0 0 0-1-1H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1v-2.5M10 12h10M17 9l3 3-3 3',
  plus: 'M12 5v14M5 12h14',
  device: 'M5 5.5h14a1 1 0 0 1 1 1v8.5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6.5a1 1 0 0 1 1-1M2.5 19h19',
} as const;
const PATHS = { ...ICONS, ...OWN };
export type IconName = keyof typeof PATHS;

/** A pictogram beside words that say the same: hidden from screen readers. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

/** The wordmark: an aperture for the dot of the i. */
export const Logo = () => (
  <svg className="logo" viewBox="0 0 172 46" role="img" aria-label="Firsthand">
    <g fill="none" stroke="currentColor" strokeWidth="3.9" strokeLinecap="round" strokeLinejoin="round">
      <path d={LOGO.letters} />
      {LOGO.rounds.map(round => (
        <circle key={round.cx} {...round} />
      ))}
      <g className="logo-dot" strokeWidth="1.15" transform={LOGO.dot.at}>
        <circle r={LOGO.dot.radius} strokeWidth="1.5" />
        <path d={LOGO.dot.blades} />
      </g>
    </g>
  </svg>
);
