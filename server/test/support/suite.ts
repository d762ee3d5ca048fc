import { afterAll, beforeAll } from 'vitest';
import { startTestService, type TestOptions, type TestService } from './harness.ts';

/**
 * A service for the tests of the file or the group that calls this: it starts before them and stops after them. The object has
 * its members once it has started. `o` may be a function, for options that other hooks make.
 */
export function serviceOfSuite(o: TestOptions | (() => TestOptions | Promise<TestOptions>) = {}): TestService {
  const service = {} as TestService;
  beforeAll(async () => {
    Object.assign(service, await startTestService(typeof o === 'function' ? await o() : o));
  });
  afterAll(() => service.stop?.());
  return service;
}
