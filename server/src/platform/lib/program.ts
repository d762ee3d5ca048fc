/** How the reader of a text starts our commands: `npx firsthand`, or the program that the archive sets. */
export const PROGRAM = process.env.FIRSTHAND_PROGRAM ?? 'npx firsthand';
