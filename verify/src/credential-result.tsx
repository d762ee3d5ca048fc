import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import type { JSX } from 'preact';
import type { CheckedPhoto } from './credential.ts';
import { Lines } from './parts.tsx';

const SIGNS: Record<CheckedPhoto['outcome'], { icon: IconName; tone: string }> = {
  // Nobody vouched for the signer: the page says what holds, not more.
  holds: { icon: 'doubt', tone: 'doubtful' },
  fails: { icon: 'cross', tone: 'failed' },
  none: { icon: 'doubt', tone: 'doubtful' },
  unreadable: { icon: 'cross', tone: 'failed' },
};

/** The result of the check of one photo's Content Credentials. */
export function CredentialResult({ checked }: { checked: CheckedPhoto }): JSX.Element {
  const { file, outcome, test, headline, lines, facts } = checked;
  const { icon, tone } = SIGNS[outcome];
  return (
    <article class={`result ${test ? 'test' : ''}`} data-credential={outcome}>
      <header class={`verdict ${tone}`}>
        <Icon name={icon} />
        <div>
          <h2 class="headline">
            {test && 'TEST, not evidence. '}
            {headline}
          </h2>
          <p class="small">
            {file.name}, {file.size} bytes, checked on this device.
          </p>
        </div>
      </header>
      {lines.length > 0 && (
        <section class="card">
          <h3>Content Credentials</h3>
          <Lines lines={lines} />
        </section>
      )}
      {facts.length > 0 && (
        <section class="card">
          <h3>What the signer says of the photo</h3>
          <dl class="facts">
            {facts.map(([term, value]) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </article>
  );
}
