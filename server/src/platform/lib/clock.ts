/** Tells the time that rows are written with. */
export interface Clock {
  now(): Date;
}
