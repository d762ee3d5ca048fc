/** SHA-256 in lowercase hex, computed off the event loop: a picture of 25 MB takes 20 ms and more. */
export const digestOf = async (bytes: Uint8Array): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
