/** Model inputs by name. A missing name could not be measured because the picture is too small. */
export type Features = Record<string, number>;
