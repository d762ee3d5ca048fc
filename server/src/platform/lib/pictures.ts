import type { createAnalysisPool } from '@firsthand/forensics/running/pool.ts';

/** The pool of analysis threads; see `forensics/src/running/pool.ts`. */
export type Pictures = ReturnType<typeof createAnalysisPool>;
