import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface NameServer {
  /** As a setting names it. */
  address: string;
  /** Names that were asked for, in order; each try counts. */
  asked: string[];
  /** The most questions that lay unanswered at once. */
  mostOpen(): number;
  close(): Promise<void>;
}

const A = 1;

/** A real name server on loopback (RFC 1035): every name is 127.0.0.1, after as long as `delayMs` says; null never answers. */
export async function startNameServer(delayMs: (name: string) => number | null): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  const open = new Set<string>();
  let most = 0;
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.').toLowerCase();
    asked.push(name);
    open.add(name);
    most = Math.max(most, open.size);
    const delay = delayMs(name);
    if (delay === null) return;
    const answers = type === A ? 1 : 0;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers, 6);
    const record = Buffer.from([0xc0, 0x0c, 0, A, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
    const answer = Buffer.concat([header, query.subarray(12, at + 5), ...(answers ? [record] : [])]);
    setTimeout(() => {
      open.delete(name);
      socket.send(answer, from.port, from.address);
    }, delay);
  });
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    mostOpen: () => most,
    close: () => new Promise(resolve => socket.close(() => resolve())),
  };
}
