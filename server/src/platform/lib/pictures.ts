import type { createAnalysisPool } from '@firsthand/forensics/pool.ts';

/** The pool of analysis threads; see `forensics/src/pool.ts`. */
export type Pictures = ReturnType<typeof createAnalysisPool>;
