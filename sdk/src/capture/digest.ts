/**
 * Returns the SHA-256 in hex. Browsers hide `crypto.subtle` on plain-HTTP pages; the fallback below computes the same.
 */
export async function sha256Hex(bytes: ArrayBuffer): Promise<string> {
  const digest = globalThis.crypto?.subtle
    ? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    : sha256(new Uint8Array(bytes));
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns a random UUID version 4, also when the browser hides `crypto.randomUUID` (plain HTTP). */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The first 32 bits of the fractional parts of the cube (square) roots of the first primes: FIPS 180-4, 4.2.2 and 5.3.3. */
function primeRoots(count: number, exponent: number): Uint32Array {
  const words = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate++) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) prime = false;
    if (prime) words[found++] = (candidate ** exponent % 1) * 2 ** 32;
  }
  return words;
}

/** SHA-256 as FIPS 180-4 describes it, over the whole message at once. */
export function sha256(message: Uint8Array): Uint8Array {
  const k = primeRoots(64, 1 / 3);
  const hash = primeRoots(8, 1 / 2);
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, (message.length << 3) >>> 0);
  const w = new Uint32Array(64);
  const rotate = (x: number, n: number) => (x >>> n) | (x << (32 - n));

  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 16; t++) w[t] = view.getUint32(block + t * 4);
    for (let t = 16; t < 64; t++) {
      const a = w[t - 15]!;
      const b = w[t - 2]!;
      w[t] =
        w[t - 16]! +
        (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)) +
        w[t - 7]! +
        (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
    for (let t = 0; t < 64; t++) {
      const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + k[t]! + w[t]!) | 0;
      const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) hash[i] = hash[i]! + value;
  }
  const out = new Uint8Array(32);
  for (const [i, word] of hash.entries()) new DataView(out.buffer).setUint32(i * 4, word);
  return out;
}
