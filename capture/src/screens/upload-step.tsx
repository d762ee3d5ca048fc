import { randomId, sha256Hex } from '@firsthand/sdk/capture/digest.ts';
import type { HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { UploadStep as Upload } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { sizeOf } from '../camera/camera.ts';
import { checkFile, isBelow } from '../files.ts';
import type { Filling } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { sizeIn, typesIn } from '../refusal.ts';
import { FileButton, Screen } from './parts.tsx';
import { SentCount, Thumb } from './thumbs.tsx';

type Props = {
  step: Upload;
  kicker: string;
  filling: Filling;
  /** Pixels that the step asks for on the long side. */
  least: number | undefined;
  held: readonly HeldCapture[];
  onPicked: (picture: Omit<HeldCapture, 'token' | 'stepKey'>) => Promise<void>;
  onRemove: (id: string) => void;
  onNext: () => void;
  onBack: () => void;
};

/** Of a picture that the browser cannot decode. */
const NO_SIZE = { width: 0, height: 0 };

export function UploadStep(props: Props): JSX.Element {
  const page = usePage();
  const { t } = page;
  const { step, filling, held, least } = props;
  const [faults, setFaults] = useState<string[]>([]);
  const size = sizeIn(page, step.max_size_bytes);
  const types = typesIn(step.accept);

  const pick = async (files: File[]) => {
    const found: string[] = [];
    for (const file of files.slice(0, filling.free)) {
      const checked = await checkFile(file, step.accept, step.max_size_bytes);
      if ('fault' in checked) {
        found.push(t(checked.fault, { types, size, megapixels: page.number(checked.megapixels ?? 0) }));
        continue;
      }
      if (least !== undefined && isBelow(await sizeOf(checked.blob).catch(() => NO_SIZE), least)) {
        found.push(t('file.least', { n: page.number(least) }));
        continue;
      }
      const bytes = await checked.blob.arrayBuffer();
      await props.onPicked({
        id: randomId(),
        bytes,
        contentType: checked.contentType,
        sha256: await sha256Hex(bytes),
        surface: 'web_file',
        capturedAt: new Date().toISOString(),
      });
    }
    setFaults([...new Set(found)]);
  };

  const some = held.length + filling.sent > 0;
  const done = filling.needed === 0;
  return (
    <Screen
      name="upload"
      title={step.description || t('upload.default')}
      kicker={props.kicker}
      lead={t('upload.limit', { n: step.max, size })}
      onBack={props.onBack}
      actions={
        <>
          {filling.free > 0 && (
            <FileButton
              label={t(some ? 'upload.more' : 'upload.choose')}
              icon="gallery"
              accept={step.accept.join(',')}
              multiple={filling.free > 1}
              quiet={some && done}
              onFiles={pick}
            />
          )}
          {done && (
            <button type="button" class={`button ${some ? '' : 'plain'}`} onClick={props.onNext}>
              {t(some ? 'step.next' : 'common.skip')}
            </button>
          )}
        </>
      }
    >
      <SentCount n={filling.sent} />
      <ul class="thumbs">
        {held.map((capture, i) => (
          <Thumb
            key={capture.id}
            capture={capture}
            alt={t('upload.alt', { n: i + 1 })}
            remove={{ label: t('upload.remove', { n: i + 1 }), act: () => props.onRemove(capture.id) }}
          />
        ))}
      </ul>
      {some && filling.needed > 0 && <p class="soft">{t('step.needMore', { n: filling.needed })}</p>}
      <div role="alert">
        {faults.map(fault => (
          <p key={fault} class="fault">
            {fault}
          </p>
        ))}
      </div>
    </Screen>
  );
}
