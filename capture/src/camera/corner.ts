export const CROP_SIDE = 256;

/** Upper left corner of the crops: the middle of the video, always the same place on the sensor. */
export const cornerOf = (width: number, height: number) => ({
  x: (width - CROP_SIDE) >> 1,
  y: (height - CROP_SIDE) >> 1,
});
