/** Grey levels 0..255, row by row. */
export type Grey = { width: number; height: number; data: Float32Array };
