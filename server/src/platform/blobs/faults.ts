export class BlobMissing extends Error {
  override name = 'BlobMissing';
  constructor(key: string) {
    super(`there is no object ${key}`);
  }
}

export class BlobTooLarge extends Error {
  override name = 'BlobTooLarge';
  constructor(key: string, maxBytes: number) {
    super(`object ${key} has more than ${maxBytes} bytes`);
  }
}

/** The store is unreachable or refuses the request. No data is known to be lost, and the client may try again. */
export class BlobUnavailable extends Error {
  override name = 'BlobUnavailable';
}
