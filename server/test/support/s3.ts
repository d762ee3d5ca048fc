import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from '../../src/platform/blobs/s3.ts';
import { freePort } from './service-process.ts';

const script = join(import.meta.dirname, '..', '..', '..', 'scripts', 's3-server.sh');

/** True where the programs of the test server are installed. `.ci/run` asks that they were. */
export const hasS3Server = spawnSync('sh', ['-c', 'command -v radosgw']).status === 0;

export interface S3Server {
  options: S3Options;
  /** Kills the gateway: nobody answers any more. The objects stay. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/** A real S3 server with one empty bucket. */
export async function startS3Server(): Promise<S3Server> {
  // Short: the daemons' sockets lie in it, and the address of a socket has room for about a hundred letters.
  const folder = await mkdtemp(join(tmpdir(), 's3-'));
  const stop = async () => {
    spawnSync(script, ['down', folder]);
    await rm(folder, { recursive: true, force: true });
  };
  const [gateway, monitor] = await freePorts(2);
  const up = spawnSync(script, ['up', folder, `${gateway}`, `${monitor}`], { encoding: 'utf8' });
  if (up.status !== 0) {
    await stop();
    throw new Error(`the S3 server did not start: ${up.stderr}`);
  }
  const options: S3Options = {
    endpoint: up.stdout.trim().split('\n').at(-1)!,
    bucket: 'pictures',
    region: 'us-east-1',
    accessKeyId: 'testkey',
    secretAccessKey: 'testsecret',
    forcePathStyle: true,
  };
  const client = new S3Client({
    region: options.region,
    endpoint: options.endpoint!,
    forcePathStyle: true,
    credentials: { accessKeyId: 'testkey', secretAccessKey: 'testsecret' },
  });
  await client.send(new CreateBucketCommand({ Bucket: options.bucket }));
  client.destroy();
  return {
    options,
    async leave() {
      process.kill(Number(await readFile(join(folder, 'run', 'client.rgw.test.pid'), 'utf8')), 'SIGKILL');
    },
    async comeBack() {
      spawnSync('radosgw', ['-c', join(folder, 'ceph.conf'), '-n', 'client.rgw.test']);
      while (!(await fetch(options.endpoint!).catch(() => null))) await sleep(50);
    },
    stop,
  };
}

async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
