/** How far a long job has come. */
export function Progress({ label, done, of }: { label: string; done: number; of: number }) {
  return (
    <progress className="progress" aria-label={label} max={Math.max(1, of)} value={Math.min(done, Math.max(1, of))} />
  );
}
