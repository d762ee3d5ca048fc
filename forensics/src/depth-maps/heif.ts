import { createRequire } from 'node:module';
import { heifItemBytes, heifItems } from '../files/metadata/containers.ts';
import { appleScale } from './apple.ts';
import type { FoundDepthMap } from './found.ts';
import { type Levels, type Scale, toInverseDepth } from './levels.ts';

/**
 * The part of libheif's C API that we use, as its WebAssembly build exports it. Structures are returned through a first pointer argument.
 */
interface Libheif {
  HEAPU8: Uint8Array;
  HEAPU16: Uint16Array;
  HEAP32: Int32Array;
  HEAPF64: Float64Array;
  _malloc(size: number): number;
  _free(pointer: number): void;
  _heif_context_alloc(): number;
  _heif_context_free(context: number): void;
  _heif_context_read_from_memory(error: number, context: number, bytes: number, size: number, options: number): void;
  _heif_context_get_primary_image_handle(error: number, context: number, out: number): void;
  _heif_image_handle_get_number_of_depth_images(handle: number): number;
  _heif_image_handle_get_list_of_depth_image_IDs(handle: number, ids: number, count: number): number;
  _heif_image_handle_get_depth_image_handle(error: number, handle: number, id: number, out: number): void;
  _heif_image_handle_get_depth_image_representation_info(handle: number, id: number, out: number): number;
  _heif_depth_representation_info_free(info: number): void;
  _heif_image_handle_get_width(handle: number): number;
  _heif_image_handle_get_height(handle: number): number;
  _heif_image_handle_release(handle: number): void;
  _heif_decode_image(error: number, handle: number, out: number, space: number, chroma: number, options: number): void;
  _heif_image_get_plane_readonly(image: number, channel: number, stride: number): number;
  _heif_image_get_bits_per_pixel_range(image: number, channel: number): number;
  _heif_image_get_width(image: number, channel: number): number;
  _heif_image_get_height(image: number, channel: number): number;
  _heif_image_release(image: number): void;
}

/** `heif_colorspace_undefined` and `heif_chroma_undefined`: keep the stored format. */
const AS_STORED = 99;
const LUMA = 0;
const MAX_SIDE = 4_096;
/** `heif_depth_representation_type`: 0 (uniform inverse Z) and 1 (uniform disparity) are inverse depths; 2 is a distance. */
const INVERSE = [0, 1];
const DISTANCE = 2;
const MAX_XMP = 256 * 1024;

let library: Libheif | undefined;

function load(): Libheif {
  library ??= createRequire(import.meta.url)('libheif-js/wasm-bundle.js') as Libheif;
  return library;
}

/** Reads the depth map of a HEIC (auxiliary picture of ISO/IEC 23008-12, 6.5.4, as Apple writes it); undefined without one. */
export function readHeifDepth(bytes: Uint8Array): FoundDepthMap | undefined {
  if (!heifItems(bytes).some(item => item.type === 'hvc1' || item.type === 'av01' || item.type === 'grid'))
    return undefined;
  const heif = load();
  const scratch = heif._malloc(32);
  const input = heif._malloc(bytes.length);
  const context = heif._heif_context_alloc();
  const handles: number[] = [];
  const failed = () => heif.HEAP32[scratch >> 2] !== 0;
  const result = () => heif.HEAP32[(scratch + 16) >> 2]!;
  try {
    heif.HEAPU8.set(bytes, input);
    heif._heif_context_read_from_memory(scratch, context, input, bytes.length, 0);
    if (failed()) return undefined;
    heif._heif_context_get_primary_image_handle(scratch, context, scratch + 16);
    if (failed()) return undefined;
    const primary = result();
    handles.push(primary);
    if (heif._heif_image_handle_get_number_of_depth_images(primary) < 1) return undefined;
    heif._heif_image_handle_get_list_of_depth_image_IDs(primary, scratch + 16, 1);
    const id = result();
    heif._heif_image_handle_get_depth_image_handle(scratch, primary, id, scratch + 16);
    if (failed()) return undefined;
    const depth = result();
    handles.push(depth);
    const sides = [heif._heif_image_handle_get_width(depth), heif._heif_image_handle_get_height(depth)];
    if (sides.some(side => side < 1 || side > MAX_SIDE)) return undefined;
    const scale = appleRange(bytes) ?? representation(heif, primary, id, scratch + 16);
    const levels = scale && decode(heif, depth, scratch);
    const map = levels && toInverseDepth(levels, scale);
    return map && { source: 'apple_disparity', map };
  } finally {
    for (const handle of handles) heif._heif_image_handle_release(handle);
    heif._heif_context_free(context);
    heif._free(input);
    heif._free(scratch);
  }
}

/** Reads the range that Apple writes into a separate XMP item. */
function appleRange(bytes: Uint8Array): Scale | undefined {
  for (const item of heifItems(bytes)) {
    if (item.type !== 'mime' || item.contentType !== 'application/rdf+xml') continue;
    const packet = heifItemBytes(bytes, item, MAX_XMP);
    const scale = packet && appleScale(Buffer.from(packet).toString('utf8'));
    if (scale) return scale;
  }
  return undefined;
}

/** `heif_depth_representation_info`: five bytes of flags, four doubles from offset 8 (z near, z far, d min, d max), the type at 40. */
function representation(heif: Libheif, primary: number, id: number, out: number): Scale | undefined {
  if (!heif._heif_image_handle_get_depth_image_representation_info(primary, id, out)) return { kind: 'inverse' };
  const info = heif.HEAP32[out >> 2]!;
  const type = heif.HEAP32[(info + 40) >> 2]!;
  const [near, far] = [heif.HEAPF64[(info + 8) >> 3]!, heif.HEAPF64[(info + 16) >> 3]!];
  heif._heif_depth_representation_info_free(info);
  if (INVERSE.includes(type)) return { kind: 'inverse' };
  return type === DISTANCE ? { kind: 'distance', bottom: near, top: far } : undefined;
}

function decode(heif: Libheif, depth: number, scratch: number): Levels | undefined {
  heif._heif_decode_image(scratch, depth, scratch + 16, AS_STORED, AS_STORED, 0);
  if (heif.HEAP32[scratch >> 2] !== 0) return undefined;
  const image = heif.HEAP32[(scratch + 16) >> 2]!;
  try {
    const width = heif._heif_image_get_width(image, LUMA);
    const height = heif._heif_image_get_height(image, LUMA);
    const bits = heif._heif_image_get_bits_per_pixel_range(image, LUMA);
    const plane = heif._heif_image_get_plane_readonly(image, LUMA, scratch + 16);
    const stride = heif.HEAP32[(scratch + 16) >> 2]!;
    if (plane === 0 || width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE || bits < 8 || bits > 16)
      return undefined;
    const data = new Float32Array(width * height);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const at = plane + y * stride;
        data[y * width + x] = bits > 8 ? heif.HEAPU16[(at >> 1) + x]! : heif.HEAPU8[at + x]!;
      }
    return { data, width, height, top: 2 ** bits - 1 };
  } finally {
    heif._heif_image_release(image);
  }
}
