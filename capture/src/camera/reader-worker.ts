import { createReader, type Reading } from './reader.ts';

export type Order = { keeps: boolean } | Reading | { finish: true };

let reader = createReader(false);

/** Answers each order with one message. */
globalThis.onmessage = async ({ data }: MessageEvent<Order>) => {
  if ('keeps' in data) {
    reader = createReader(data.keeps);
    return;
  }
  if ('finish' in data) {
    const frames = reader.finish();
    postMessage(frames, { transfer: frames.flatMap(({ jpeg, crop }) => (crop ? [jpeg, crop] : [jpeg])) });
    return;
  }
  postMessage(await reader.read(data));
};
