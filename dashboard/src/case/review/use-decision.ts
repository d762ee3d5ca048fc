import type { Decision, ReviewInput } from '@firsthand/contract/reviews/reviews.ts';
import { useState } from 'react';
import { problemText } from '../../base/api/problem-text.ts';
import { useWords } from '../../base/language.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useDraft } from '../../entry/session/draft.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import type { Decide } from './queue.ts';
import type { Reason } from './reasons.ts';

/** The decision about one case while a person makes it: what they chose, their note, and which photos they call genuine. */
export function useDecision(verificationId: string, decide: Decide) {
  const words = useWords();
  const say = useSay();
  const draft = useDraft(useSignedIn().person.id, `review:${verificationId}`, { note: '' });
  const [choosing, setChoosing] = useState<Decision | null>(null);
  const [note, setNote] = useState(draft.kept.note);
  const [flags, setFlags] = useState<Record<string, boolean>>({});

  const inputOf = (decision: Decision, reason?: Reason): Omit<ReviewInput, 'seconds'> => ({
    decision,
    ...(reason ? { reasons: [reason] } : {}),
    ...(note.trim() ? { note: note.trim() } : {}),
    ...(Object.keys(flags).length > 0
      ? { flags: Object.entries(flags).map(([capture_id, genuine]) => ({ capture_id, genuine })) }
      : {}),
  });

  return {
    /** The decision that waits for its reason. */
    choosing,
    note,
    flags,
    inputOf,
    choose: (decision: Decision) => setChoosing(was => (was === decision ? null : decision)),
    cancel: () => setChoosing(null),
    write: (text: string) => {
      setNote(text);
      draft.keep({ note: text });
    },
    /** Marks a photo as genuine or not; the same mark again removes it. */
    flag: (captureId: string, genuine: boolean) =>
      setFlags(({ [captureId]: was, ...others }) => (was === genuine ? others : { ...others, [captureId]: genuine })),
    send: async (decision: Decision, reason?: Reason) => {
      setChoosing(null);
      const failed = await decide(inputOf(decision, reason));
      if (failed) say(problemText(words, failed));
      else draft.forget();
    },
  };
}

export type DecisionInHand = ReturnType<typeof useDecision>;
