/** Side of a tile and length of the transform. */
export const N: i32 = 256;
/** Columns that are transformed together: 64 bytes, one cache line. */
export const STRIP: i32 = 16;

/** Half side of the window that a peak is compared with. */
export const WINDOW: i32 = 10;
export const HALF: i32 = N / 2;
/** Rows of a spectrum's powers: frequencies -10/N to 138/N, so that every window lies inside. */
export const ROWS: i32 = HALF + 1 + 2 * WINDOW;

/**
 * Maximum pixels per row that `halveRow` writes; `addLuma` reads up to twice as many. Below: the rows of R, G, B, two for input and one for
 * output.
 */
export const ROW_PIXELS: i32 = 4096;
export const UPPER: usize = memory.data(2 * ROW_PIXELS * 3 + 16, 16);
export const LOWER: usize = memory.data(2 * ROW_PIXELS * 3 + 16, 16);
export const HALVED: usize = memory.data(ROW_PIXELS * 3 + 16, 16);

/** Sums of as many bytes as `UPPER` has: u32, or u16 for `lumaOfSums`. */
export const SUMS: usize = memory.data(2 * ROW_PIXELS * 3 * 4 + 32, 16);
/** Mean luma of blocks, f32; until then the luma of as many pixels as `UPPER` has. */
export const LUMA_ROW: usize = memory.data(2 * ROW_PIXELS * 4 + 16, 16);

/** Most boxes in a row. */
export const ROW_BOXES: i32 = 512;
/** Pixels in each box, u16, plus 32,768 if its first is also the last of the box before; what each counts, f32. The host fills them in. */
export const BOX_COUNTS: usize = memory.data(ROW_BOXES * 2, 16);
export const BOX_SHARES: usize = memory.data((2 * ROW_PIXELS + ROW_BOXES) * 4, 16);
/** The boxes of one row of pixels and their sums over rows, four f32 a box; the latter in bytes. */
export const BOX_LINE: usize = memory.data(ROW_BOXES * 16, 16);
export const BOX_ROW: usize = memory.data(ROW_BOXES * 16, 16);
export const BOXED: usize = memory.data(ROW_BOXES * 3 + 16, 16);

/** A tile's R, G, B. */
export const PIXELS: usize = memory.data(N * N * 3 + 16, 16);
/** Real and imaginary part of a tile, f32: first luma and R - B, then the spectrum of both. */
export const RE: usize = memory.data(N * N * 4 + 16, 16);
export const IM: usize = memory.data(N * N * 4 + 16, 16);
/** R - G, i16. */
export const RED_GREEN: usize = memory.data(N * N * 2 + 16, 16);
/** Intermediate result between the two passes of a transform. */
export const SWAP_RE: usize = memory.data(N * N * 4, 16);
export const SWAP_IM: usize = memory.data(N * N * 4, 16);
/** The columns being transformed. */
export const STRIP_RE: usize = memory.data(N * STRIP * 4, 64);
export const STRIP_IM: usize = memory.data(N * STRIP * 4, 64);
/** cos and -sin of 2 pi k / N, f32. The host fills them in. */
export const COSINES: usize = memory.data(N * 4, 16);
export const SINES: usize = memory.data(N * 4, 16);
/** The window function along a tile's side, f32. The host fills it in. */
export const HANN: usize = memory.data(N * 4, 16);

/** Powers of luma and of R - B, f32, ROWS x N; frequency 0 of y lies in column HALF. */
export const LUMA_POWER: usize = memory.data(ROWS * N * 4 + 32, 16);
export const OPPONENT_POWER: usize = memory.data(ROWS * N * 4 + 32, 16);
/** One row of their cross spectrum. */
export const CROSS_RE: usize = memory.data(N * 4, 16);
export const CROSS_IM: usize = memory.data(N * 4, 16);

/** Frequency rings in which colour is measured, sixteen sectors each. */
export const COLOUR_RINGS: i32 = 4;
export const SECTORS: i32 = 16;
/** The sectors of those rings, the next four rings, and one bin for everything else. */
export const BINS: i32 = COLOUR_RINGS * SECTORS + 4 + 1;
/** Bin of each cell of the HALF + 1 rows from frequency 0 on, u8. The host fills it in. */
export const BIN_OF: usize = memory.data((HALF + 1) * N, 16);
/** Sums over bins, f64: luma, R - B. */
export const LUMA_BINS: usize = memory.data(BINS * 8, 16);
export const OPPONENT_BINS: usize = memory.data(BINS * 8, 16);
/** Sums of the cross spectrum over the four rings, f64. */
export const CROSS_SUMS: usize = memory.data(COLOUR_RINGS * 2 * 8, 16);

/** Results of `loadTile` and `residual`, f64: mean, mean of R - B, clipped share; then four sums. */
export const TILE: usize = memory.data(8 * 8, 16);

/** Sums of powers over the rectangle from the corner, f64. */
export const INTEGRAL: usize = memory.data((ROWS + 1) * (N + 1) * 8, 16);
/** Cells that exceed their surroundings: ratio f32, row and column i32. */
export const CANDIDATES: usize = memory.data((HALF + 1) * N * 12, 16);
/** The peaks `findPeaks` kept, f64: fx and fy in cells, ratio, powers of luma and of R - B. */
export const PEAKS: usize = memory.data(8 * 5 * 8, 16);

/** One row of second differences. */
export const DIFFERENCES: usize = memory.data(N * 4 + 16, 16);
export const COLOUR_DIFFERENCES: usize = memory.data(N * 2 + 16, 16);

/** 64 x 64 samples of a picture, and the intermediate result on the way to its 16 x 16 frequencies, f32. */
export const BLOCK: usize = memory.data(64 * 64 * 4, 16);
export const BLOCK_ROWS: usize = memory.data(16 * 64 * 4, 16);
export const FREQUENCIES: usize = memory.data(16 * 16 * 4, 16);
/** Cosines of the transform, 16 x 64, f32. The host fills them in. */
export const PDQ_COSINES: usize = memory.data(16 * 64 * 4, 16);
