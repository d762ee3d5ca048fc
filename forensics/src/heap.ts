import { setFlagsFromString } from 'node:v8';

/*
 * V8 plans its next full collection from the bytes that survived the last one, here 15 MB, and counts the pixels of every picture against that
 * plan: every picture of 12 megapixels set off a collection of the whole heap, which took some 40 ms of processor time on all threads. The pixels are
 * freed explicitly (`release`), so the plan may be larger. It holds for the whole process.
 */
setFlagsFromString('--heap-growing-percent=400');
