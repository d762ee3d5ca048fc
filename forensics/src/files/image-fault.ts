export type ImageFaultCode = 'not_an_image' | 'unsupported_type' | 'truncated' | 'too_many_pixels' | 'undecodable';

/** The reason why a picture was refused. The message is safe to show to the sender. */
export class ImageFault extends Error {
  readonly code: ImageFaultCode;
  /** For `too_many_pixels`: the most that a picture of this kind may have. */
  maxMegapixels?: number;
  constructor(code: ImageFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ImageFault';
    this.code = code;
  }
}
