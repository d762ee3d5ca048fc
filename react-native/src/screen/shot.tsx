import { isBelow } from '@firsthand/capture/files.ts';
import { exampleOf, fillingOf, leastSideOf } from '@firsthand/capture/flow.ts';
import { faultOfFile } from '@firsthand/react/checks.ts';
import { type ReactNode, useEffect, useState } from 'react';
import { Image, Linking, ScrollView, useWindowDimensions, View } from 'react-native';
import { PhotoRefused, type PhotoStep } from '../capture.ts';
import type { Film } from '../film.ts';
import type { CaptureStatus } from '../keeper.ts';
import { useViewfinder } from '../use-viewfinder.ts';
import { Moving, useFilm } from './film.tsx';
import { usePage } from './page.ts';
import { Example, Heading, Press, Say, Scroll, Status } from './parts.tsx';

interface Props {
  step: PhotoStep;
  replaces: string | undefined;
  /** Opens the next step that needs a photo; undefined leads back. */
  onNext: (step: PhotoStep | undefined) => void;
}

/** Takes one photo and shows it. It counts when the person uses it. */
export function Shot({ step, replaces, onNext }: Props) {
  const [taken, setTaken] = useState<Taken>();
  return taken === undefined ? (
    <Finder step={step} onTaken={setTaken} onBack={() => onNext(undefined)} />
  ) : (
    <Review {...{ step, replaces, onNext }} {...taken} onRetake={() => setTaken(undefined)} />
  );
}

interface Taken {
  uri: string;
  film: Film | undefined;
}

interface FinderProps {
  step: PhotoStep;
  onTaken: (taken: Taken) => void;
  onBack: () => void;
}

function Finder({ step, onTaken, onBack }: FinderProps) {
  const { camera, capture, texts, report } = usePage();
  const { t, nameOf } = texts;
  const finder = useViewfinder(camera);
  const film = useFilm(step);
  const [light, setLight] = useState(false);
  const [fault, setFault] = useState<string>();
  const denied = finder.phase === 'denied';
  useEffect(() => report(denied ? 'camera_blocked' : 'capturing'), [denied, report]);
  const shoot = async () => {
    setFault(undefined);
    const filming = finder.handle.current && !finder.taking ? film.begin(finder.handle.current) : undefined;
    try {
      const uri = await finder.take();
      if (uri === undefined) void filming?.drop();
      else onTaken({ uri, film: await filming?.end() });
    } catch {
      void filming?.drop();
      setFault(t('camera.failed'));
    }
  };
  const number = (capture.held[step.key] ?? 0) + 1;
  const live = finder.phase === 'live';
  return (
    <Framed
      closed={denied}
      picture={
        denied || finder.phase === 'asking' || finder.phase === 'lost' ? null : (
          <camera.View
            key={finder.attempt}
            ref={finder.handle}
            label={t('camera.preview')}
            light={light}
            onReady={finder.onReady}
            onFailure={finder.onFailure}
          />
        )
      }
    >
      {film.move ? <Moving move={film.move} onLeave={film.leave} /> : <Heading>{nameOf(step)}</Heading>}
      {step.min > 1 && number <= step.min && (
        <Say tone="soft">{t('camera.photoOf', { n: number, total: step.min })}</Say>
      )}
      {capture.view && <Example url={exampleOf(capture.view, step)} />}
      {denied && <Denied ask={finder.ask} />}
      {finder.phase === 'lost' && (
        <>
          <Status tone="fault">{`${t('camera.lostTitle')}. ${t('camera.lost')}`}</Status>
          <Press onPress={finder.retry}>{t('common.tryAgain')}</Press>
        </>
      )}
      <Status>
        {finder.phase === 'starting' ? t('camera.starting') : finder.taking ? t('camera.taking') : undefined}
      </Status>
      <Status tone="fault">{fault}</Status>
      {live && !film.move && (
        <>
          <Press disabled={finder.taking || film.busy} onPress={() => void shoot()}>
            {t('camera.shutter')}
          </Press>
          <Press quiet onPress={() => setLight(!light)}>
            {t(light ? 'camera.torchOff' : 'camera.torchOn')}
          </Press>
        </>
      )}
      <Press quiet onPress={onBack}>
        {t('common.back')}
      </Press>
    </Framed>
  );
}

function Denied({ ask }: { ask: () => Promise<void> }) {
  const { t } = usePage().texts;
  return (
    <>
      <Status tone="fault">{`${t('blocked.title')}. ${t('app.blocked')}`}</Status>
      <Press onPress={() => void Linking.openSettings()}>{t('app.settings')}</Press>
      <Press quiet onPress={() => void ask()}>
        {t('common.tryAgain')}
      </Press>
    </>
  );
}

/**
 * A frame of the sensor's shape, then the rest. iOS crops photos to the shape of the preview. The frame comes first, holds the picture and
 * nothing else, and stays: a sibling put before a camera view ends its session, and the next photo the app.
 */
function Framed({ picture, closed, children }: { picture: ReactNode; closed: boolean; children: ReactNode }) {
  const window = useWindowDimensions();
  const upright = window.height >= window.width;
  const height = upright ? Math.min((window.width * 4) / 3, window.height * 0.6) : window.height * 0.8;
  const width = upright ? (height * 3) / 4 : (height * 4) / 3;
  return (
    <View style={{ flex: 1, flexDirection: upright ? 'column' : 'row' }}>
      <View style={{ width, height: closed ? 0 : height, alignSelf: 'center', backgroundColor: '#000' }}>
        {picture}
      </View>
      <ScrollView style={{ flex: 1 }} contentContainerStyle={{ padding: 16, gap: 12 }}>
        {children}
      </ScrollView>
    </View>
  );
}

interface ReviewProps extends Props, Taken {
  onRetake: () => void;
}

function Review({ step, replaces, uri, film, onRetake, onNext }: ReviewProps) {
  const { capture, texts, locate, report } = usePage();
  const { t, nameOf, number } = texts;
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const least = capture.view ? leastSideOf(capture.view, step) : undefined;
  const small = useIsBelow(uri, least);
  useEffect(() => report('reviewing'), [report]);
  const use = async () => {
    setBusy(true);
    try {
      const location = await locate();
      await capture.addPhoto(step, uri, { replaces, film, ...(location ? { location } : {}) });
      onNext(replaces === undefined ? nextAfter(capture, step) : undefined);
    } catch (error) {
      setFault(error instanceof PhotoRefused ? faultOfFile(error, step, texts) : t('error.title'));
      setBusy(false);
    }
  };
  return (
    <Scroll>
      <Heading>{t('review.title')}</Heading>
      <Say tone="soft">{nameOf(step)}</Say>
      <Image
        source={{ uri }}
        accessible
        accessibilityLabel={t('review.alt')}
        style={{ width: '100%', height: 360 }}
        resizeMode="contain"
      />
      <Status tone="fault">{small ? t('file.least', { n: number(least ?? 0) }) : fault}</Status>
      {!small && fault === undefined && (
        <Press disabled={busy} onPress={() => void use()}>
          {t('review.use')}
        </Press>
      )}
      <Press quiet disabled={busy} onPress={onRetake}>
        {t('review.retake')}
      </Press>
    </Scroll>
  );
}

/** The photo to take after one more of this step. */
function nextAfter({ view, photos, answers }: CaptureStatus, step: PhotoStep): PhotoStep | undefined {
  const held = { captures: [...photos, { stepKey: step.key }], answers };
  const open = view?.config.steps.find(each => each.type === 'image' && fillingOf(view, each, held).needed > 0);
  return open?.type === 'image' ? open : undefined;
}

/** True for a picture that is smaller than its step asks for. A picture that the system cannot read has no size here; the service checks it. */
function useIsBelow(uri: string, least: number | undefined): boolean {
  const [small, setSmall] = useState(false);
  useEffect(() => {
    let shown = true;
    if (least === undefined) return undefined;
    Image.getSize(uri).then(
      size => shown && setSmall(isBelow(size, least)),
      () => {},
    );
    return () => {
      shown = false;
    };
  }, [uri, least]);
  return small;
}
