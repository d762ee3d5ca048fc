import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { startTestService, type TestOptions, type TestService } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';
import { cameraFileOf, launchChromium } from './chromium.ts';

/** How long a step in a browser may take: long, for machines under load. A test of a limit sets its own. */
export const PATIENCE_MS = 60_000;

/** Starts a service for the tests of a file; it stops after the last of them. It believes a proxy on this machine and sends webhooks to it. */
export async function ownService(o: TestOptions = {}): Promise<TestService> {
  const env = { TRUSTED_PROXIES: '127.0.0.1,::1', WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8', ...o.env };
  const service = await startTestService({ ...o, env });
  afterAll(() => service.stop());
  return service;
}

const newFolder = () => mkdtemp(join(tmpdir(), 'fh-camera-'));

let shared: Promise<Browser> | undefined;

/** The browser that the files of a worker share; it ends with the worker. Its camera shows a genuine photo. Each test opens a context of its own. */
export const sharedBrowser = (): Promise<Browser> => {
  const launch = async () =>
    launchChromium(await cameraFileOf(join(await newFolder(), 'camera.mjpeg'), [await firstHand(3)]));
  shared ??= launch();
  return shared;
};

/**
 * For a file that needs other browsers than the shared one. They close after its last test.
 *
 * @returns a function that launches one: its camera shows the picture; without one, a machine without camera.
 */
export function launcher() {
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(() => Promise.all(closing.map(close => close())));
  return async (picture?: Buffer, o: { asks?: boolean } = {}): Promise<Browser> => {
    const folder = await newFolder();
    const camera = picture && (await cameraFileOf(join(folder, 'camera.mjpeg'), [picture]));
    const browser = await launchChromium(camera, o);
    closing.push(() => browser.close().then(() => rm(folder, { recursive: true })));
    return browser;
  };
}
