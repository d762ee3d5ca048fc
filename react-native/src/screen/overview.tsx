import { exampleOf, fillingOf, isRequired } from '@firsthand/capture/flow.ts';
import { sizeIn } from '@firsthand/capture/refusal.ts';
import { faultOfFile, faultyAnswers, refusedWords, sendable, type TextStep } from '@firsthand/react/checks.ts';
import type { CaptureView, Step } from '@firsthand/sdk/capture';
import { type ReactNode, useEffect, useState } from 'react';
import { Image, TextInput, View } from 'react-native';
import { type HeldPhoto, PhotoRefused, type PhotoStep } from '../capture.ts';
import { usePage } from './page.ts';
import { Example, Heading, Press, Say, Scroll, Status } from './parts.tsx';

interface Props {
  view: CaptureView;
  /** Opens the camera; `replaces` is the held photo that is taken again. */
  onTake: (step: PhotoStep, replaces?: string) => void;
}

/** Everything that is asked for, with what is there, and the button that sends it. */
export function Overview({ view, onTake }: Props) {
  const { capture, texts, report, leave } = usePage();
  const { t, nameOf } = texts;
  const [found, setFound] = useState<Record<string, string>>({});
  useEffect(() => report('landing'), [report]);
  const refused = refusedWords(capture, texts);
  const { missing, phase, photos } = capture;
  const send = async () => {
    const faults = faultyAnswers(capture, view, texts);
    setFound(faults);
    if (Object.keys(faults).length > 0) return;
    for (const [key, value] of sendable(capture, view)) await capture.setAnswer(key, value);
    await capture.send();
  };
  const lacking = missing.length > 0 ? `${t('summary.missing')}: ${missing.map(nameOf).join(', ')}` : undefined;
  return (
    <Scroll>
      <Asking view={view} />
      {photos.length > 0 && <Say tone="soft">{t('landing.resumed', { n: photos.length })}</Say>}
      <Status tone="fault">{refused['']}</Status>
      {view.config.steps.map(step => (
        <Card key={step.key} {...{ step, view }}>
          {step.type === 'text' ? (
            <Answer {...{ step, view }} fault={found[step.key] ?? refused[step.key]} />
          ) : (
            <Photos {...{ step, view, onTake }} />
          )}
        </Card>
      ))}
      <Press disabled={missing.length > 0} hint={lacking} onPress={() => void send()}>
        {t(phase === 'failed' ? 'common.tryAgain' : 'summary.send')}
      </Press>
      {lacking !== undefined && <Say tone="soft">{lacking}</Say>}
      <Press quiet onPress={leave}>
        {t('common.back')}
      </Press>
    </Scroll>
  );
}

/** Who asks, for what, and until when. */
function Asking({ view }: { view: CaptureView }) {
  const { texts } = usePage();
  const { t, dayAndTime } = texts;
  const { brand, config, requires } = view;
  const name = brand?.name ?? '';
  const onlyPhotos = config.steps.every(step => step.type === 'image');
  const n = config.steps.reduce((sum, step) => sum + (step.type === 'image' ? step.min : 0), 0) || config.steps.length;
  const title = onlyPhotos
    ? t(brand ? 'landing.title' : 'landing.titlePlain', { n, name })
    : t(brand ? 'landing.titleFew' : 'landing.titleFewPlain', { name });
  return (
    <View style={{ gap: 8 }}>
      {brand?.logo_url !== undefined && <Logo uri={brand.logo_url} />}
      <Heading>{title}</Heading>
      <Say tone="soft">{t('landing.privacy', { name: name || t('common.requester') })}</Say>
      {requires.location && <Say tone="soft">{t('landing.location')}</Say>}
      <Say tone="soft">{t('landing.until', { time: dayAndTime(view.expires_at) })}</Say>
    </View>
  );
}

/** The name stands in the title, so screen readers skip the picture. */
function Logo({ uri }: { uri: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return null;
  return (
    <Image
      source={{ uri }}
      accessible={false}
      onError={() => setBroken(true)}
      resizeMode="contain"
      style={{ height: 40, width: 160 }}
    />
  );
}

function Card({ step, view, children }: { step: Step; view: CaptureView; children: ReactNode }) {
  const { capture, texts, theme } = usePage();
  const { t, nameOf } = texts;
  const { sent, needed } = fillingOf(view, step, { captures: capture.photos, answers: capture.answers });
  return (
    <View style={{ backgroundColor: theme.card, borderRadius: 12, padding: 16, gap: 12 }}>
      <Say bold>{`${nameOf(step)}${isRequired(step) ? '' : ` (${t('common.optional')})`}`}</Say>
      {sent > 0 && step.type !== 'text' && <Say tone="soft">{t('summary.sent', { n: sent })}</Say>}
      {needed > 0 && step.type !== 'text' && step.min > 1 && <Say tone="soft">{t('step.needMore', { n: needed })}</Say>}
      {children}
    </View>
  );
}

function Photos({ step, view, onTake }: Props & { step: PhotoStep }) {
  const { capture, texts, pick } = usePage();
  const { t, nameOf } = texts;
  const [faults, setFaults] = useState<readonly string[]>([]);
  const own = capture.photos.filter(({ stepKey }) => stepKey === step.key);
  const { free } = fillingOf(view, step, { captures: capture.photos, answers: {} });
  const choose = async () => {
    const said = new Set<string>();
    for (const uri of (await pick(step, free)).slice(0, free)) {
      try {
        await capture.addPhoto(step, uri, { from: 'file' });
      } catch (error) {
        said.add(error instanceof PhotoRefused ? faultOfFile(error, step, texts) : t('error.title'));
      }
    }
    setFaults([...said]);
  };
  const upload = step.type === 'upload';
  const words = t(
    upload ? (own.length > 0 ? 'upload.more' : 'upload.choose') : own.length > 0 ? 'step.another' : 'camera.shutter',
  );
  return (
    <>
      <Example url={exampleOf(view, step)} />
      {upload && <Say tone="soft">{t('upload.limit', { n: step.max, size: sizeIn(texts, step.max_size_bytes) })}</Say>}
      {own.map((photo, at) => (
        <Held key={photo.id} {...{ photo, step, onTake }} n={at + 1} />
      ))}
      <Status tone="fault">{faults.join(' ')}</Status>
      {free > 0 && (
        <Press
          quiet={own.length > 0}
          label={`${words}: ${nameOf(step)}`}
          onPress={() => void (upload ? choose() : onTake(step))}
        >
          {words}
        </Press>
      )}
    </>
  );
}

interface HeldProps extends Pick<Props, 'onTake'> {
  photo: HeldPhoto;
  step: PhotoStep;
  n: number;
}

function Held({ photo, step, n, onTake }: HeldProps) {
  const { capture, texts } = usePage();
  const { t, nameOf } = texts;
  const alt = t('summary.photoAlt', { step: nameOf(step), n });
  return (
    <View style={{ flexDirection: 'row', flexWrap: 'wrap', alignItems: 'center', gap: 12 }}>
      <Image
        source={{ uri: photo.uri }}
        accessible
        accessibilityLabel={alt}
        style={{ width: 96, height: 96, borderRadius: 8 }}
      />
      {step.type === 'image' && (
        <Press quiet label={`${t('summary.retake')}: ${alt}`} onPress={() => onTake(step, photo.id)}>
          {t('summary.retake')}
        </Press>
      )}
      <Press
        quiet
        label={`${t('upload.remove', { n })}: ${nameOf(step)}`}
        onPress={() => void capture.removePhoto(photo.id)}
      >
        {t('upload.remove', { n })}
      </Press>
    </View>
  );
}

const HINTS = {
  numeric_id: 'text.hintDigits',
  alphanumeric_id: 'text.hintAlphanumeric',
  free_text: 'text.hintLength',
} as const;

function Answer({ step, view, fault }: { step: TextStep; view: CaptureView; fault: string | undefined }) {
  const { capture, texts, theme } = usePage();
  const { t, nameOf } = texts;
  const { format, max_length } = step.validation;
  const state = view.step_states.find(({ key }) => key === step.key);
  const answered = state?.type === 'text' && state.answered;
  const hint = answered ? t('text.answered') : t(HINTS[format], { n: max_length });
  const free = format === 'free_text';
  return (
    <>
      <TextInput
        accessibilityLabel={nameOf(step)}
        accessibilityHint={fault ?? hint}
        accessibilityLanguage={texts.language}
        value={capture.answers[step.key] ?? ''}
        onChangeText={value => void capture.setAnswer(step.key, value)}
        multiline={free && max_length > 80}
        keyboardType={format === 'numeric_id' ? 'number-pad' : 'default'}
        autoCapitalize={free ? 'sentences' : 'characters'}
        autoCorrect={free}
        autoComplete="off"
        style={{
          borderWidth: 1,
          borderRadius: 10,
          borderColor: fault === undefined ? theme.line : theme.fault,
          color: theme.ink,
          fontSize: 17,
          padding: 12,
          minHeight: free && max_length > 80 ? 120 : 48,
          textAlignVertical: 'top',
          writingDirection: texts.direction,
        }}
      />
      <Say tone="soft">{hint}</Say>
      <Status tone="fault">{fault}</Status>
    </>
  );
}
