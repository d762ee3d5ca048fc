import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon } from '@firsthand/look/marks.tsx';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { GuideHint, GuideState, Move } from '../camera/guide.ts';
import { type OpenChallenge, type Session, type SessionResult, startSession } from '../camera/trace.ts';
import { usePage } from '../page-context.ts';
import { Press } from './parts.tsx';
import { Sheet } from './sheet.tsx';

const OPPOSITE: Record<Move, Move> = { left: 'right', right: 'left', up: 'up', down: 'down' };

const PICTURES: Record<GuideHint, IconName> = {
  dark: 'light',
  plain: 'gallery',
  fast: 'time',
  other: 'lens',
  turned: 'lens',
  more: 'right',
};

type Props = {
  video: { current: HTMLVideoElement | null };
  /** The camera faces the person, who then sees left and right swapped. */
  mirrored: boolean;
  /** Resolves when the page knows what to ask for, without a challenge if the service gives none. */
  challenge: Promise<OpenChallenge | undefined>;
  onDone: (result: SessionResult) => void;
};

/**
 * Asks for small moves of the phone, one after the other. Each bar fills by the picture's own movement. There is no time limit, and a way out
 * that ends the film as it is.
 */
export function MotionSheet(props: Props): JSX.Element {
  const { t } = usePage();
  const [moves, setMoves] = useState<readonly Move[]>();
  const [state, setState] = useState<GuideState>({ move: 0, progress: 0, done: false });
  const [ending, setEnding] = useState(false);
  const session = useRef<Session>(undefined);

  useEffect(() => {
    const video = props.video.current;
    if (!video) return props.onDone({ second: undefined });
    session.current = startSession({
      video,
      challenge: props.challenge,
      onMoves: asked => setMoves(asked.map(move => (props.mirrored ? OPPOSITE[move] : move))),
      onState: setState,
      onDone: props.onDone,
    });
    return () => session.current?.stop();
  }, []);

  const move = moves?.[state.move];
  if (!moves || !move) {
    return (
      <Sheet title={t('motion.wait')} live>
        <div class="motion-guide" />
      </Sheet>
    );
  }
  return (
    <Sheet title={t(`motion.${move}`)} live>
      <div class="motion-guide" data-move={move}>
        {moves.length > 1 && <Moves moves={moves} state={state} />}
        <MovePicture key={state.move} />
        <Bar label={t(`motion.${move}`)} share={state.progress} />
      </div>
      <p class="motion-words" role="status">
        {state.hint && <Icon name={PICTURES[state.hint]} class={state.hint === 'more' ? `to-${move}` : ''} />}
        {t(state.done ? 'motion.hold' : state.hint ? `motion.${state.hint}` : 'motion.text')}
      </p>
      <Press
        look="plain"
        aria-disabled={ending || state.done}
        onClick={() => {
          setEnding(true);
          session.current?.giveUp();
        }}
      >
        {t('motion.hard')}
      </Press>
    </Sheet>
  );
}

/** The moves as arrows, with a tick for each that is made. */
function Moves({ moves, state: { move: now, done } }: { moves: readonly Move[]; state: GuideState }): JSX.Element {
  return (
    <div class="motion-moves" aria-hidden="true">
      {moves.map((move, i) => (
        <span key={i} class={i === now && !done ? 'now' : ''}>
          {i < now || done ? <Icon name="check" /> : <Icon name="right" class={`to-${move}`} />}
        </span>
      ))}
    </div>
  );
}

/** How much of a move is made, 0 to 1. */
function Bar({ label, share }: { label: string; share: number }): JSX.Element {
  return (
    <span
      class="motion-track"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
    >
      <span class="motion-fill" style={{ '--filled': share }} />
    </span>
  );
}

/** How long the phone of the picture rests before it slides, ms. */
const REST_MS = 600;

/**
 * A phone that slides along a rail past what it photographs, upright all the way, in the direction of the arrow: once for each move, because while
 * the person moves, the page has no time to draw. It rests where the person wants less movement.
 */
function MovePicture(): JSX.Element {
  const [there, setThere] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setThere(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="motion-picture">
      <svg viewBox="0 -16 96 100" aria-hidden="true">
        <path class="motion-scene" d="M14 60h68M24 60V40l10-6 10 6v20M62 60V46h12v14" />
        <path class="motion-rail" d="M24 34h48M24 30v8M72 30v8" />
        <path class="motion-arrow" d="M75 34h18M86 26l8 8-8 8" />
      </svg>
      <svg class={`motion-phone ${there ? 'there' : ''}`} viewBox="0 -16 96 100" aria-hidden="true">
        <rect x="36" y="12" width="24" height="44" rx="4" />
        <path d="M45 51h6" />
      </svg>
    </div>
  );
}
