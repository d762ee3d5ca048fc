import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Prints the lines of a bench and keeps them for a Markdown page that names the command behind it. */
export function createReport(title: string) {
  const lines: string[] = [];
  return {
    print(text = ''): void {
      lines.push(text);
      console.log(text);
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
