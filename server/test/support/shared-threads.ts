import { AnalysisFault, type AnalysisPool, createAnalysisPool } from '@firsthand/forensics/running/pool.ts';
import { ANALYSIS_MEMORY_MB, ANALYSIS_TIMEOUT_MS } from '../../src/open.ts';

let shared: AnalysisPool | undefined;

/**
 * Gives a service its share of the one analysis thread that all services of this process use. A thread takes seconds to load
 * its models and compile its kernels. Closing a share leaves the thread to the others.
 */
export function sharedThread(): AnalysisPool {
  shared ??= createAnalysisPool({ threads: 1, timeoutMs: ANALYSIS_TIMEOUT_MS, memoryMb: ANALYSIS_MEMORY_MB });
  const pool = shared;
  const closed = Promise.withResolvers<never>();
  // Without a picture in analysis, nobody awaits it.
  closed.promise.catch(() => {});
  let draining = false;
  const end = () => new AnalysisFault('closed', 'The analysis pool is closed.');
  const share = <T>(begin: () => Promise<T>): Promise<T> =>
    draining ? Promise.reject(end()) : Promise.race([begin(), closed.promise]);
  return {
    analyze: request => share(() => pool.analyze(request)),
    inspect: bytes => share(() => pool.inspect(bytes)),
    warmUp: eachReady => pool.warmUp(eachReady),
    drain() {
      draining = true;
    },
    async close() {
      draining = true;
      closed.reject(end());
    },
  };
}
