import type { MetadataField } from './fields.ts';

/** A picture file's own metadata. All of it comes from the file and may be forged. */
export interface PictureMetadata {
  make?: string;
  model?: string;
  software?: string;
  lens?: string;
  /** The time the shutter opened: `2018-07-25T16:34:23.935`, with the offset when the camera wrote one. */
  taken_at?: string;
  /** GPS time, UTC. */
  gps_at?: string;
  /** Degrees, south and west negative. */
  gps?: { latitude: number; longitude: number };
  /** EXIF orientation 1..8. */
  orientation?: number;
  /** Size in the container's header, in pixels before orientation. */
  size?: { width: number; height: number };
  /** Size in EXIF, in pixels. Differs from `size` after a crop or resize that kept the EXIF block. */
  exif_size?: { width: number; height: number };
  /** See {@link quantizationHash}; JPEG only. */
  quantization_hash?: string;
  thumbnail: boolean;
  /** The embedded EXIF thumbnail (JPEG), to compare with the picture. */
  thumbnail_bytes?: Uint8Array;
  /** Every text field found, for the provenance rules. */
  fields: MetadataField[];
  /** Blocks that exist but could not be read. */
  faults: MetadataFault[];
}

export interface MetadataFault {
  code: 'exif_unreadable' | 'xmp_unreadable' | 'iptc_unreadable' | 'container_unreadable';
  message: string;
}
