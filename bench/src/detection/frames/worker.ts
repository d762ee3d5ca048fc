import { parentPort } from 'node:worker_threads';
import sharp from 'sharp';
import { perform, type Task } from './tasks.ts';

sharp.concurrency(1);
parentPort?.on('message', async (task: Task) => parentPort?.postMessage(await perform(task)));
