/** Rows in one statement of a sweep: tens of milliseconds, so nobody waits long for its locks. */
export const SWEEP_BATCH = 5_000;

/** Repeats a statement that deletes up to {@link SWEEP_BATCH} rows, until it finds fewer. Returns the number of deleted rows. */
export async function deleteInBatches(once: () => Promise<{ rowCount: number | null }>): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { rowCount } = await once();
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < SWEEP_BATCH) return deleted;
  }
}
