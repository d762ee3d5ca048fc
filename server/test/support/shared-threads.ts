import { AnalysisFault, type AnalysisPool, createAnalysisPool } from '@firsthand/forensics/running/pool.ts';
import { ANALYSIS_MEMORY_MB, ANALYSIS_TIMEOUT_MS } from '../../src/open.ts';

let shared: AnalysisPool | undefined;

/**
 * One analysis thread for all services of this process, one after another: a thread takes seconds to load its models and to
 * compile its kernels. Closing the pool ends the service's share of it.
 */
export function sharedThread(): AnalysisPool {
  shared ??= createAnalysisPool({ threads: 1, timeoutMs: ANALYSIS_TIMEOUT_MS, memoryMb: ANALYSIS_MEMORY_MB });
  const pool = shared;
  const closed = Promise.withResolvers<never>();
  // Nobody may be waiting.
  closed.promise.catch(() => {});
  let draining = false;
  const end = () => new AnalysisFault('closed', 'The analysis pool is closed.');
  const share = <T>(begin: () => Promise<T>): Promise<T> =>
    draining ? Promise.reject(end()) : Promise.race([begin(), closed.promise]);
  return {
    analyze: request => share(() => pool.analyze(request)),
    inspect: bytes => share(() => pool.inspect(bytes)),
    // The thread loads what a picture needs when it comes: most tests never send one.
    warmUp: async (eachReady = () => {}) => eachReady(),
    drain() {
      draining = true;
    },
    async close() {
      draining = true;
      closed.reject(end());
    },
  };
}
