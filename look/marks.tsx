import type { JSX } from 'preact';
import { ICONS, type IconName, LOGO } from './drawings.ts';

/** A decorative icon beside a text with the same meaning, so it is hidden from screen readers. */
export const Icon = ({ name, class: extra = '' }: { name: IconName; class?: string }): JSX.Element => (
  <svg class={`icon ${extra}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

/** The wordmark: an aperture for the dot of the i. */
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
