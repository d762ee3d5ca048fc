/**
 * Returns the shell command that runs only one test. `file` is relative to the root; `name` is the test's full name.
 */
export function rerunCommand(file: string, name?: string): string {
  const project = file.startsWith('server/') ? 'server' : 'unit';
  const command = `npm test -- --project ${project} ${file}`;
  return name === undefined ? command : `${command} -t ${quoted(`^${escaped(name)}$`)}`;
}

/** `-t` takes a regular expression. */
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const quoted = (text: string): string => `'${text.replaceAll("'", () => `'\\''`)}'`;
