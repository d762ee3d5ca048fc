import { ICONS, LOGO } from '@firsthand/look/drawings.ts';
import type { ReactNode } from 'react';

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
  minus: 'M5 12h14',
  up: 'M6 14.5l6-6 6 6',
  before: 'M20 12H5M11 6l-6 6 6 6',
  code: 'M8.5 7.5L4 12l4.5 4.5M15.5 7.5L20 12l-4.5 4.5M13.5 5.5l-3 13',
  list: 'M8.5 6.5H20M8.5 12H20M8.5 17.5H20M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01',
  eye: 'M2.8 12C5 7.8 8.2 5.8 12 5.8s7 2 9.2 6.2c-2.2 4.2-5.4 6.2-9.2 6.2S5 16.2 2.8 12M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6',
  send: 'M20.5 3.5L3.5 10.2l6.8 3.5 3.5 6.8zM20.5 3.5L10.3 13.7',
  chart: 'M4.5 4.5v15h15M8.5 15.5v-3M12.5 15.5V8M16.5 15.5v-5',
  sheet: 'M6 3.5h8l4.5 4.5v12a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-15.5a1 1 0 0 1 1-1M13.5 3.5V8.5H18.5M8.5 13h7M8.5 16.5h7',
  gear: 'M12 8.7a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6M12 3v2.6M12 18.4V21M3 12h2.6M18.4 12H21M5.6 5.6l1.9 1.9M16.5 16.5l1.9 1.9M5.6 18.4l1.9-1.9M16.5 7.5l1.9-1.9',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M4.5 19.5h15',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5L20 20',
  palette: 'M9 9H6.5A2.5 2.5 0 1 1 9 6.5v11A2.5 2.5 0 1 1 6.5 15h11a2.5 2.5 0 1 1-2.5 2.5v-11A2.5 2.5 0 1 1 17.5 9z',
  brand: 'M4 4.5h7.5l8.5 8.5-7 7-8.5-8.5zM8 8.5h.01',
  layers: 'M12 4l8.5 4.5L12 13 3.5 8.5zM3.5 12.5L12 17l8.5-4.5M3.5 16.2L12 20.7l8.5-4.5',
  keyboard:
    'M4 6.5h16a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1M7 10.5h.01M10.3 10.5h.01M13.7 10.5h.01M17 10.5h.01M8 14h8',
  undo: 'M8.5 5L4 9.5 8.5 14M4 9.5h10a5.5 5.5 0 0 1 0 11h-3',
  forward: 'M9.5 5.5L16 12l-6.5 6.5',
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

/** An option of a list, with a mark while it is chosen. */
export const Marked = ({ on, children }: { on: boolean; children: ReactNode }) => (
  <>
    <span className="mark">{on && <Icon name="check" />}</span>
    {children}
  </>
);
