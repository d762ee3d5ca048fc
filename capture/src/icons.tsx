import type { JSX } from 'preact';

const PATHS = {
  camera:
    'M4 8.5A1.5 1.5 0 0 1 5.5 7h2l1.2-2.1a1 1 0 0 1 .9-.5h4.8a1 1 0 0 1 .9.5L16.5 7h2A1.5 1.5 0 0 1 20 8.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5zM12 9.5a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1M12 14.5v2',
  place: 'M12 21c4.5-4.3 7-7.8 7-11a7 7 0 0 0-14 0c0 3.2 2.5 6.7 7 11M12 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5',
  back: 'M14.5 5.5L8 12l6.5 6.5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  light: 'M13 3L5.5 13.5H11L10 21l8-11h-5.5z',
  lens: 'M4 9a8 8 0 0 1 14.5-2.5L20 8M20 3.5V8h-4.5M20 15a8 8 0 0 1-14.5 2.5L4 16M4 20.5V16h4.5',
  gallery:
    'M5.5 4.5h13a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1M4.5 16l4.5-4.5 4 4 2.5-2.5 4 4M14.5 8.5h.01',
  text: 'M5 6.5h14M5 11h14M5 15.5h8',
  time: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 7.5V12l3 2',
  doubt: 'M12 4L2.8 19.5h18.4zM12 10v4.5M12 17h.01',
  offline:
    'M3 3l18 18M8.5 15.5a5 5 0 0 1 6 -.6M5 12a10 10 0 0 1 4-2.4M13 8.7A10 10 0 0 1 19 12M2 8.5a15 15 0 0 1 4-2.6M10 4.7A15 15 0 0 1 22 8.5M12 19h.01',
  zoom: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5L20 20M10.5 7.8v5.4M7.8 10.5h5.4',
  right: 'M4 12h15M13 6l6 6-6 6',
  copy: 'M9 9h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1M5 15.5V5.5A1 1 0 0 1 6 4.5h9.5',
  link: 'M10 14a4 4 0 0 0 5.7 0l2.8-2.8a4 4 0 0 0-5.7-5.7L11.5 6.8M14 10a4 4 0 0 0-5.7 0l-2.8 2.8a4 4 0 0 0 5.7 5.7l1.3-1.3',
  seal: 'M12 3l2.4 1.9 3-.1.8 2.9 2.5 1.7-1.1 2.8 1.1 2.8-2.5 1.7-.8 2.9-3-.1L12 21.4l-2.4-1.9-3 .1-.8-2.9L3.3 15l1.1-2.8L3.3 9.4l2.5-1.7.8-2.9 3 .1zM8.8 12.2l2.3 2.3 4.2-4.3',
  printer: 'M7 9V4h10v5M7 17H5a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h14a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M7 14h10v6H7z',
  globe:
    'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M3.5 12h17M12 3.5c2.5 2.3 3.7 5.2 3.7 8.5s-1.2 6.2-3.7 8.5c-2.5-2.3-3.7-5.2-3.7-8.5S9.5 5.8 12 3.5',
} as const;

export type IconName = keyof typeof PATHS;

/** A pictogram beside words that say the same: hidden from screen readers. */
export const Icon = ({ name, class: extra = '' }: { name: IconName; class?: string }): JSX.Element => (
  <svg class={`icon ${extra}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

/** The wordmark: an aperture for the dot of the i. */
export const Logo = (): JSX.Element => (
  <svg class="logo" viewBox="0 0 172 46" role="img" aria-label="Firsthand">
    <g fill="none" stroke="currentColor" stroke-width="3.9" stroke-linecap="round" stroke-linejoin="round">
      <path d="M14.6 8.6C10.4 7.6 8 9.8 8 14.6V40M3 20.5H14M24 20.5V40M33.5 20.5V40M33.5 29C33.5 23.6 36.6 20.4 41.2 20.6M58.5 23.6C57 21.4 54.8 20.3 52.2 20.3 48.6 20.3 46.2 22.2 46.2 25 46.2 31.9 59.2 28 59.2 35 59.2 38.2 56.4 40.2 52.6 40.2 49.5 40.2 47.1 39 45.6 36.6M68 13.5V34C68 38.2 70.2 40.4 74 39.8M63.4 20.5H74M82 8V40M82 29C82 23.6 85 20.3 89.4 20.3 94 20.3 96.4 23.3 96.4 28.4V40M122 20.5V40M131 20.5V40M131 29C131 23.6 134 20.3 138.4 20.3 143 20.3 145.4 23.3 145.4 28.4V40M169 8V40" />
      <circle cx="112.9" cy="30.2" r="9" />
      <circle cx="159.9" cy="30.2" r="9" />
      <g class="logo-dot" stroke-width="1.15" transform="translate(24 9.4)">
        <circle r="5.4" stroke-width="1.5" />
        <path d="M2.3 .5L-1.5 4.7M.7 2.2L-4.9 1M-1.5 1.7L-3.2-3.8M-2.3-.5L1.5-4.7M-.7-2.2L4.9-1M1.5-1.7L3.2 3.8" />
      </g>
    </g>
  </svg>
);
