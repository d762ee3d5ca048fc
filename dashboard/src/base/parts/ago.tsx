import { useMoments } from './date-times.ts';

/** A moment as a person says it; the exact one for whoever points at it. */
export function Ago({ at }: { at: string }) {
  const { ago, exactly } = useMoments();
  return (
    <time dateTime={at} title={exactly(at)}>
      {ago(at)}
    </time>
  );
}
