import { createReader, type Reading } from './reader.ts';

export type Order = Reading | { finish: true };

const reader = createReader();

/** Answers each order with one message. */
globalThis.onmessage = async ({ data }: MessageEvent<Order>) => {
  if ('finish' in data) {
    const frames = reader.finish();
    postMessage(frames, { transfer: frames.flatMap(({ jpeg, crop }) => (crop ? [jpeg, crop] : [jpeg])) });
    return;
  }
  postMessage(await reader.read(data));
};
