import type { Report } from '@firsthand/evidence/report.ts';
import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import { headlineOf, reportSections, type Section, subjectOf } from '@firsthand/report/words.ts';
import type { JSX } from 'preact';
import type { Checked } from './check.ts';
import { Lines } from './parts.tsx';
import { Photo } from './photo.tsx';

const SIGNS: Record<Report['outcome'], { icon: IconName; tone: string }> = {
  holds: { icon: 'seal', tone: 'verified' },
  fails: { icon: 'cross', tone: 'failed' },
  unvouched: { icon: 'doubt', tone: 'doubtful' },
  unreadable: { icon: 'cross', tone: 'failed' },
};

/** The result of the check of one bundle. */
export function Result({ checked }: { checked: Checked }): JSX.Element {
  const { report, file, at } = checked;
  const { icon, tone } = SIGNS[report.test && report.outcome === 'holds' ? 'unvouched' : report.outcome];
  const subject = subjectOf(report);
  return (
    <article class={`result ${report.test ? 'test' : ''}`} data-outcome={report.outcome} data-exit={report.exit_code}>
      <header class={`verdict ${tone}`}>
        <Icon name={icon} />
        <div>
          <h2 class="headline">{headlineOf(report)}</h2>
          {subject && <p class="subject">{subject}</p>}
          <p class="small">
            {file.name}, {file.size} bytes, checked on this device at {at.toISOString()}. The command{' '}
            <code>verify-evidence</code> ends with exit code {report.exit_code}.
          </p>
        </div>
      </header>
      {reportSections(report).map(section => (
        <section key={section.name} class={`card ${section.name}`} data-section={section.name}>
          <h3>{section.title}</h3>
          {section.name === 'photos' ? <Photos checked={checked} section={section} /> : <Lines lines={section.lines} />}
        </section>
      ))}
    </article>
  );
}

const Photos = ({ checked, section }: { checked: Checked; section: Section }): JSX.Element => (
  <ul class="photos">
    {checked.report.photos.map((photo, index) => (
      <Photo key={photo.entry} checked={checked} photo={photo} line={section.lines[index]!} />
    ))}
  </ul>
);
