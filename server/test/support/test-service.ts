import { afterAll, beforeAll } from 'vitest';
import { startTestService, type TestOptions, type TestService } from './harness.ts';

/** One service for the tests beside and below this call. It is there once the first of them runs. */
export function testService(o: TestOptions = {}): TestService {
  const service = {} as TestService;
  beforeAll(async () => {
    Object.assign(service, await startTestService(o));
  });
  afterAll(() => service.stop?.());
  return service;
}
