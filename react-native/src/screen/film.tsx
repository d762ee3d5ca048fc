import { useRef, useState } from 'react';
import type { CameraHandle } from '../camera.tsx';
import type { PhotoStep } from '../capture.ts';
import { type Film, type Move, recordMotion } from '../film.ts';
import { usePage } from './page.ts';
import { Heading, Press, Say } from './parts.tsx';

/** Time for each move. Whether the phone moved, the service sees in the film. */
const MOVE_MS = 2_500;
/** Without the moves by then, the photo goes without a film. */
const ASKED_WITHIN_MS = 5_000;

const after = <T,>(ms: number, value: T) => new Promise<T>(resolve => setTimeout(() => resolve(value), ms));

/** Films after the shutter, if the camera can and the link wants it. `move`: what the person is asked for now; `busy`: a film is being made. */
export function useFilm(step: PhotoStep) {
  const { capture, gyroscope } = usePage();
  const [move, setMove] = useState<Move>();
  const [busy, setBusy] = useState(false);
  const leave = useRef(() => {});

  /** Shows the moves one after another. Resolves with those that had their time. */
  const askFor = async (moves: readonly Move[]): Promise<boolean[]> => {
    const left = new Promise<false>(resolve => {
      leave.current = () => resolve(false);
    });
    const done: boolean[] = [];
    for (const next of moves) {
      setMove(next);
      if (!(await Promise.race([after(MOVE_MS, true), left]))) break;
      done.push(true);
    }
    setMove(undefined);
    return done;
  };

  /** Call it at the shutter. `end` asks for the moves; both never reject. */
  const begin = (camera: CameraHandle) => {
    if (!camera.film || !capture.view?.requires.motion_frame) return undefined;
    setBusy(true);
    const challenge = capture.challenge(step).catch(() => undefined);
    const filming = camera.film();
    const stopMotion = gyroscope && recordMotion(gyroscope);
    const stop = async () => {
      setBusy(false);
      const motion = stopMotion?.() ?? [];
      return { motion, ...(await filming.stop()) };
    };
    return {
      drop: () => stop().catch(() => undefined),
      async end(): Promise<Film | undefined> {
        const asked = await Promise.race([challenge, after(ASKED_WITHIN_MS, undefined)]);
        const done = asked ? await askFor(asked.moves) : [];
        const filmed = await stop().catch(() => undefined);
        return asked && filmed && { challenge: asked, ...filmed, done, gaveUp: done.length < asked.moves.length };
      },
    };
  };
  return { move, busy, begin, leave: () => leave.current() };
}

/** What the person does while the camera films. */
export function Moving({ move, onLeave }: { move: Move; onLeave: () => void }) {
  const { t } = usePage().texts;
  return (
    <>
      <Heading>{t(`motion.${move}`)}</Heading>
      <Say tone="soft">{t('motion.text')}</Say>
      <Press quiet onPress={onLeave}>
        {t('motion.hard')}
      </Press>
    </>
  );
}
