import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';

type Default = string | boolean | undefined;
type Given<T> = { [K in keyof T]: T[K] extends boolean ? boolean : T[K] extends string ? string : string | undefined };

/** Reads the options of a bench: `--NAME VALUE`, `--NAME` where the default is a boolean, and `--write FILE`. */
export function optionsOf<const T extends Record<string, Default>>(defaults: T): Given<T> & { write?: string } {
  const options = Object.entries(defaults).map(([name, value]) =>
    typeof value === 'boolean'
      ? ([name, { type: 'boolean', default: value }] as const)
      : ([name, { type: 'string', default: value }] as const),
  );
  const { values } = parseArgs({ options: { ...Object.fromEntries(options), write: { type: 'string' } } });
  return values as Given<T> & { write?: string };
}

/** The processors and the Node.js that a bench ran on. */
export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node.js ${process.version}`;

/** Prints the lines of a bench and keeps them for a Markdown page that names the command behind it. */
export function createReport(title: string) {
  const lines: string[] = [];
  return {
    print(text = ''): void {
      lines.push(text);
      console.log(text);
    },
    /** Prints cells as a row of a table. */
    row(...cells: (string | number)[]): void {
      this.print(`| ${cells.join(' | ')} |`);
    },
    /** Writes the page if `--write FILE` names one. */
    write(file: string | undefined): void {
      if (file) writeFileSync(file, pageOf(title, commandOf(process.argv), lines.join('\n')));
    },
  };
}

export const pageOf = (title: string, command: string, body: string): string =>
  `# ${title}\n\nMade with\n\n\`\`\`sh\n${command}\n\`\`\`\n\n${body.trim()}\n`;

/**
 * Returns the command line without `--write`. Replaces a path outside the working directory by FOLDER, because it means nothing elsewhere.
 */
export function commandOf([, script = '', ...given]: readonly string[]): string {
  const at = given.indexOf('--write');
  const args = at === -1 ? given : given.toSpliced(at, 2);
  const shown = args.map(arg => (/^(\/|\.\.)/.test(arg) ? 'FOLDER' : arg));
  return ['node', relative(process.cwd(), script), ...shown].join(' ');
}
