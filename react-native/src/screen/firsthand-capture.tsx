import { endIn, endWords, refusedWords } from '@firsthand/react/checks.ts';
import type { DeviceLocation, ProgressReport } from '@firsthand/sdk/capture';
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { BackHandler, type StyleProp, useColorScheme, View, type ViewStyle } from 'react-native';
import { type Camera, expoCamera } from '../camera.tsx';
import type { PhotoStep } from '../capture.ts';
import type { Gyroscope } from '../film.ts';
import { pickFiles } from '../pick-files.ts';
import { themeOf } from '../theme.ts';
import { type CaptureHook, isClosed, type UseCaptureOptions, useCapture } from '../use-capture.ts';
import type { Words } from '../word-keys.ts';
import { textsIn } from '../words.ts';
import { Overview } from './overview.tsx';
import { type Page, PageProvider, usePage } from './page.ts';
import { Heading, Press, Say, Scroll, Status } from './parts.tsx';
import { Shot } from './shot.tsx';

export interface FirsthandCaptureProps extends UseCaptureOptions {
  /** `en`, `de`, `fr`, `es`, `pt`, `it`, `pl`, `tr`, `hi` or `ar`; the phone's unless given. */
  language?: string;
  /** In place of the language's words, one by one. */
  words?: Words;
  /** The system's unless given. */
  colorScheme?: 'light' | 'dark';
  /** Where the phone is, for requests that ask for a place. Without it photos go without one. */
  locate?: () => Promise<DeviceLocation | undefined>;
  /** Chooses pictures for an upload step: at most so many. Resolves with their addresses. The system's files unless given. */
  pick?: (step: PhotoStep, most: number) => Promise<string[]>;
  /** `expo-camera` unless given. */
  camera?: Camera;
  /** `Gyroscope` of `expo-sensors`, for the films of a camera that films. */
  gyroscope?: Gyroscope;
  style?: StyleProp<ViewStyle>;
}

/** The place of the person: everything, or the camera of a step. `shot` tells one photo from the next. */
type Place = { at: 'overview' } | { at: 'shot'; step: PhotoStep; replaces: string | undefined; shot: number };
const OVERVIEW: Place = { at: 'overview' };

/** Takes the photos of one link and sends them. It fills its parent: put it inside the safe area. */
export function FirsthandCapture(props: FirsthandCaptureProps): ReactElement {
  const { language, words, colorScheme, camera = expoCamera, gyroscope, pick = pickFiles, style } = props;
  const capture = useCapture(props);
  const system = useColorScheme();
  const theme = themeOf((colorScheme ?? system) === 'dark', capture.view?.brand);
  const texts = useMemo(() => textsIn(language, words), [language, words]);
  const locate = useLocation(props.locate, capture.view?.requires.location === true);
  const { report, leave } = useReport(capture);
  const page: Page = { capture, texts, theme, camera, gyroscope, pick, locate, report, leave };
  return (
    <PageProvider value={page}>
      <View style={[{ flex: 1, backgroundColor: theme.ground, direction: texts.direction }, style]}>
        <Shown key={props.token} />
      </View>
    </PageProvider>
  );
}

function Shown() {
  const { capture, leave } = usePage();
  const { phase, view } = capture;
  const [place, setPlace] = useState<Place>(OVERVIEW);
  const taking = phase === 'ready' || phase === 'failed' ? place : OVERVIEW;
  const open = view !== null && !isClosed(capture) && phase !== 'done';
  useBack(() => {
    if (taking.at === 'shot') setPlace(OVERVIEW);
    else leave();
  });
  const take = (step: PhotoStep | undefined, replaces?: string) =>
    setPlace(now => (step ? { at: 'shot', step, replaces, shot: now.at === 'shot' ? now.shot + 1 : 0 } : OVERVIEW));
  if (!open) return <Message />;
  if (phase === 'sending') return <Sending />;
  if (taking.at === 'overview') return <Overview view={view} onTake={take} />;
  return <Shot key={taking.shot} step={taking.step} replaces={taking.replaces} onNext={take} />;
}

/** Before the request is there, and after its end. */
function Message() {
  const { capture, texts, report, leave } = usePage();
  const { t } = texts;
  const { phase } = capture;
  useEffect(() => {
    if (phase === 'done') report('success');
  }, [phase, report]);
  if (phase === 'loading' || phase === 'sending') {
    return (
      <Scroll>
        <Status>{t('loading.title')}</Status>
        <Press quiet onPress={leave}>
          {t('common.back')}
        </Press>
      </Scroll>
    );
  }
  if (phase === 'done') {
    return (
      <Scroll>
        <Heading>{t('success.title')}</Heading>
        <Say>{t('end.completed.text')}</Say>
      </Scroll>
    );
  }
  if (isClosed(capture)) {
    return (
      <Scroll>
        <Heading>{t(`end.${endIn(capture)}.title`)}</Heading>
        <Say>{endWords(capture, t)}</Say>
      </Scroll>
    );
  }
  return (
    <Scroll>
      <Heading>{t('unreachable.title')}</Heading>
      <Status tone="fault">{refusedWords(capture, texts)['']}</Status>
      <Press onPress={() => void capture.send()}>{t('common.tryAgain')}</Press>
      <Press quiet onPress={leave}>
        {t('common.back')}
      </Press>
    </Scroll>
  );
}

function Sending() {
  const { capture, texts, theme, report, leave } = usePage();
  const { t } = texts;
  useEffect(() => report('uploading'), [report]);
  const { state = 'sending', sent = 0, total = 0, sentBytes = 0, totalBytes = 0 } = capture.progress ?? {};
  const percent = totalBytes > 0 ? Math.round((100 * sentBytes) / totalBytes) : 0;
  const words = {
    sending: t('sending.item', { n: Math.min(sent + 1, total), total }),
    waiting: `${t('sending.waiting')}. ${t('sending.waitingText')}`,
    busy: `${t('sending.busy')}. ${t('sending.busyText')}`,
    finishing: t('sending.finishing'),
  };
  return (
    <Scroll>
      <Heading>{t('sending.title')}</Heading>
      <Status>{total > 0 ? words[state] : undefined}</Status>
      <View
        accessible
        accessibilityRole="progressbar"
        accessibilityLabel={t('sending.progress')}
        accessibilityValue={{ min: 0, max: 100, now: percent }}
        style={{ height: 8, borderRadius: 4, backgroundColor: theme.card, overflow: 'hidden' }}
      >
        <View style={{ height: 8, width: `${percent}%`, backgroundColor: theme.accent }} />
      </View>
      <Press quiet onPress={leave}>
        {t('common.back')}
      </Press>
    </Scroll>
  );
}

/** Android's back button and gesture. */
function useBack(onBack: () => void): void {
  const latest = useRef(onBack);
  latest.current = onBack;
  useEffect(() => {
    const subscription = BackHandler.addEventListener('hardwareBackPress', () => {
      latest.current();
      return true;
    });
    return () => subscription.remove();
  }, []);
}

const LOCATED_WITHIN_MS = 15_000;

/** Asks for the place with the first photo. Neither a refusal nor silence stops the photo. */
function useLocation(locate: FirsthandCaptureProps['locate'], asked: boolean): Page['locate'] {
  const found = useRef<Promise<DeviceLocation | undefined>>(undefined);
  return useCallback(async () => {
    if (!asked || !locate) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>(resolve => {
      timer = setTimeout(() => resolve(undefined), LOCATED_WITHIN_MS);
    });
    found.current ??= locate().catch(() => undefined);
    return Promise.race([found.current, late]).finally(() => clearTimeout(timer));
  }, [asked, locate]);
}

/** Tells the service where the person is, and that they left. */
function useReport({ report: send, cancel, phase }: CaptureHook): Pick<Page, 'report' | 'leave'> {
  const startedAt = useRef(Date.now());
  const last = useRef<ProgressReport['step']>('landing');
  const reportOf = useCallback(
    (): ProgressReport => ({ schema_version: 1, step: last.current, elapsed_ms: Date.now() - startedAt.current }),
    [],
  );
  const report = useCallback(
    (step: ProgressReport['step']) => {
      last.current = step;
      void send(reportOf());
    },
    [send, reportOf],
  );
  const leave = () => {
    if (phase !== 'done' && phase !== 'closed') void send({ ...reportOf(), abandoned: true });
    cancel();
  };
  return { report, leave };
}
