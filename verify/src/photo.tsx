import type { PhotoReport } from '@firsthand/evidence/report.ts';
import type { Line } from '@firsthand/report/words.ts';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Checked, contentOf } from './check.ts';
import { Lines } from './parts.tsx';

type Shown = { url: string; preview: boolean } | 'loading' | 'not shown';

/** A photo with its marks; where the browser cannot show its type, the preview from the bundle stands in. */
export function Photo({ checked, photo, line }: { checked: Checked; photo: PhotoReport; line: Line }): JSX.Element {
  const [shown, setShown] = useState<Shown>('loading');
  const preview = `previews/${photo.capture_id}.jpg`;
  const show = async (name: string, isPreview: boolean): Promise<void> => {
    const blob = await contentOf(checked, name);
    setShown(blob ? { url: URL.createObjectURL(blob), preview: isPreview } : 'not shown');
    if (!blob && !isPreview) await show(preview, true);
  };
  useEffect(() => {
    void show(photo.entry, false);
  }, []);
  useEffect(() => () => (typeof shown === 'object' ? URL.revokeObjectURL(shown.url) : undefined), [shown]);
  const facts: [string, string][] = [
    ['File', photo.entry],
    ['Size', `${photo.bytes} bytes`],
    ['SHA-256', photo.sha256],
    ...(photo.step_key ? [['Step', photo.step_key] as [string, string]] : []),
    ...(photo.received_at ? [['Received', photo.received_at] as [string, string]] : []),
    ...(photo.client_captured_at ? [['Taken, says the device', photo.client_captured_at] as [string, string]] : []),
  ];
  return (
    <li class={`photo ${photo.holds ? 'holds' : 'fails'}`} data-photo={photo.capture_id}>
      <figure>
        {typeof shown === 'object' ? (
          <img
            src={shown.url}
            alt={`${photo.step_key || 'Capture'} ${photo.capture_id}`}
            onError={() => (shown.preview ? setShown('not shown') : void show(preview, true))}
          />
        ) : (
          <div class="no-picture">{shown === 'loading' ? '' : 'This browser cannot show the picture.'}</div>
        )}
        {typeof shown === 'object' && shown.preview && (
          <figcaption class="small soft">
            The preview from the bundle: this browser cannot show the original.
          </figcaption>
        )}
      </figure>
      <div class="photo-text">
        <Lines lines={[{ ...line, text: photo.holds ? 'This photo holds.' : 'This photo does not hold.' }]} />
        <dl class="facts">
          {facts.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd class={term === 'SHA-256' || term === 'File' ? 'code' : ''}>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </li>
  );
}
