import type { Brand } from '@firsthand/contract/account/management.ts';
import type { Previewed } from '@firsthand/contract/capture/previewed.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { BRANDS } from './brands.ts';
import { previewedSteps } from './previewed.ts';
import type { RequestValues } from './values.ts';

/** The capture page itself, in a frame of a phone's size: what the person will see, as it is typed. Nothing is made. */
export function PhonePreview({ values }: { values: RequestValues }) {
  const { t } = useWords();
  const [chosen, setChosen] = useState(0);
  const [ready, setReady] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const brands = useQuery(BRANDS);
  const brand = brands.data?.data.find(({ slug }) => slug === values.brand_slug);
  const last = values.steps.length - 1;
  const at = Math.min(chosen, last);
  const expiresAt = useMemo(
    () => new Date(Date.now() + values.expires_in_seconds * 1_000).toISOString(),
    [values.expires_in_seconds],
  );
  const previewed: Previewed = {
    steps: previewedSteps(values.steps),
    at,
    location: values.expected_location.trim() !== '',
    expiresAt,
    ...(brand ? { brand: wornBy(brand) } : {}),
  };
  const shown = JSON.stringify(previewed);
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'firsthand-preview-ready') setReady(true);
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, []);
  useEffect(() => {
    if (ready) frame.current?.contentWindow?.postMessage(JSON.parse(shown), location.origin);
  }, [ready, shown]);
  return (
    <figure className="phone-preview">
      <div className="phone">
        <iframe ref={frame} src={`${ROOT}/capture-preview`} title={t('phone.frame')} tabIndex={-1} />
      </div>
      <Steps at={at} total={values.steps.length} onAt={setChosen} />
    </figure>
  );
}

interface StepsProps {
  /** The step that is seen; -1 for the first page. */
  at: number;
  total: number;
  onAt: (at: number) => void;
}

function Steps({ at, total, onAt }: StepsProps) {
  const { t } = useWords();
  return (
    <figcaption className="phone-steps line">
      <Button weight="plain" slim isDisabled={at < 0} aria-label={t('phone.before')} onPress={() => onAt(at - 1)}>
        <Icon name="before" />
      </Button>
      <span className="small soft">{at < 0 ? t('phone.first') : t('phone.step', { n: at + 1, of: total })}</span>
      <Button
        weight="plain"
        slim
        isDisabled={at === total - 1}
        aria-label={t('phone.next')}
        onPress={() => onAt(at + 1)}
      >
        <Icon name="right" />
      </Button>
    </figcaption>
  );
}

const wornBy = ({ slug, name, logo_url, colors }: Brand) => ({
  slug,
  name,
  ...(logo_url === undefined ? {} : { logo_url }),
  ...(colors === undefined ? {} : { colors }),
});
