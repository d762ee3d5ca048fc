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
import { Example } from './example.tsx';
import { FileButton, Screen } from './parts.tsx';
import { Thumbs } from './thumbs.tsx';

type Props = {
  step: Upload;
  kicker: string;
  filling: Filling;
  /** Where the step's example picture is shown. */
  example: string | undefined;
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
  const { step, filling, held } = props;
  const { faults, pick } = usePicking(props);
  const some = held.length + filling.sent > 0;
  const done = filling.needed === 0;
  return (
    <Screen
      name="upload"
      title={page.describe(step) || t('upload.default')}
      kicker={props.kicker}
      lead={t('upload.limit', { n: step.max, size: sizeIn(page, step.max_size_bytes) })}
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
      <Example url={props.example} />
      <Thumbs held={held} sent={filling.sent} altOf={n => t('upload.alt', { n })} onRemove={props.onRemove} />
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

/** Takes chosen files, as many as the step has room for, and says why some are not taken. */
function usePicking({ step, filling, least, onPicked }: Props) {
  const page = usePage();
  const { t, number } = page;
  const [faults, setFaults] = useState<string[]>([]);

  /** Returns why a file is not taken. */
  async function take(file: File): Promise<string | undefined> {
    const checked = await checkFile(file, step.accept, step.max_size_bytes);
    if ('fault' in checked) {
      const [types, size] = [typesIn(step.accept), sizeIn(page, step.max_size_bytes)];
      return t(checked.fault, { types, size, megapixels: number(checked.megapixels ?? 0) });
    }
    const { blob, contentType } = checked;
    if (least !== undefined && isBelow(await sizeOf(blob).catch(() => NO_SIZE), least))
      return t('file.least', { n: number(least) });
    const bytes = await blob.arrayBuffer();
    const sha256 = await sha256Hex(bytes);
    if (sha256 === step.example_picture) return t('file.example');
    const capturedAt = new Date().toISOString();
    await onPicked({ id: randomId(), bytes, contentType, sha256, surface: 'web_file', capturedAt });
    return undefined;
  }

  const pick = async (files: File[]) => {
    const found = new Set<string>();
    for (const file of files.slice(0, filling.free)) {
      const fault = await take(file);
      if (fault !== undefined) found.add(fault);
    }
    setFaults([...found]);
  };
  return { faults, pick };
}
