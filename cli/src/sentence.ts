import { ConnectionError, FirsthandError } from '@firsthand/sdk';
import { fileFault } from './file-fault.ts';

/** Errors whose message is written for the person at the command line. Their names need not load their modules. */
const WRITTEN_FOR_PEOPLE = new Set([
  'BadBackup',
  'BlobUnavailable',
  'ConfigError',
  'EditedMigration',
  'EmbeddedPostgresError',
  'Error',
  'FolderInUse',
  'ModelFault',
  'NewerDatabase',
  'NoteFault',
  'OlderDatabase',
  'UnfitDatabase',
  'UsageError',
  'WrongKeys',
]);

interface Known extends Error {
  code?: string;
  syscall?: string;
  /** The setting that names the port. */
  setting?: string;
  port?: number;
  address?: string;
  hostname?: string;
  errors?: Known[];
  severity?: string;
  fields?: { path: string; message: string }[];
}

/** Says in sentences why a command failed, and what to do where that is known. */
export function sentenceOf(error: unknown): string {
  const known = error as Known;
  // Node.js tries each address of a host and gathers what failed.
  if (known.name === 'AggregateError' && known.errors?.[0]) return sentenceOf(known.errors[0]);
  if (error instanceof FirsthandError) return answered(error);
  const text = listening(known) ?? fileFault(known) ?? connecting(known) ?? database(known) ?? problem(known);
  if (text !== null) return text;
  if (known.name === 'DatabaseUnavailable') {
    return `${asSentence(known.message)} Check that it runs and that DATABASE_URL names it.`;
  }
  if (WRITTEN_FOR_PEOPLE.has(known.name) && (known.name !== 'Error' || known.code === undefined)) {
    return asSentence(known.message);
  }
  return (
    `Firsthand failed in a way it does not know: ${known.name}: ${known.message}\n` +
    'Run the command with LOG_LEVEL=debug to see where, and please report it.'
  );
}

/** The client's errors. `fetch` names neither the service nor a remedy. */
function answered(error: FirsthandError): string {
  if (error instanceof ConnectionError) {
    return `${error.message}. Start the service with npm start, or give its address with --url, PUBLIC_URL or PORT.`;
  }
  if (error.code === 'not_firsthand') {
    const url = error.message.split(' ')[0];
    return `${url} does not answer as Firsthand does. Give its address with --url, or set PUBLIC_URL or PORT.`;
  }
  return asSentence(error.message);
}

function listening({ code, syscall, port, address, setting = 'PORT' }: Known): string | null {
  if (syscall === 'listen' || syscall === 'bind') {
    if (code === 'EADDRINUSE') {
      return `Port ${port} is in use, perhaps by another Firsthand. Set ${setting} to another port, or stop that process.`;
    }
    if (code === 'EACCES') return `This account may not listen on port ${port}. Set ${setting} to a port above 1023.`;
    if (code === 'EADDRNOTAVAIL') return `This machine has no address ${address}. Set HOST to one that it has.`;
  }
  return null;
}

function connecting({ code, syscall, port, address, hostname }: Known): string | null {
  if (syscall === 'getaddrinfo') return `The host ${hostname} has no address. Check the setting that names it.`;
  if (syscall !== 'connect') return null;
  const where = address === undefined ? 'The server' : `${address}${port === undefined ? '' : ` port ${port}`}`;
  return `${where} does not answer (${code}). Check that the server runs and that the setting names it.`;
}

/** Errors of PostgreSQL carry a severity. */
function database({ severity, message }: Known): string | null {
  return severity === undefined ? null : `The database refuses: ${asSentence(message)} Check DATABASE_URL.`;
}

/** What the API would answer with `fields`. */
function problem({ name, fields, message }: Known): string | null {
  if (name !== 'Problem') return null;
  return fields ? fields.map(fault => asSentence(`${fault.path} ${fault.message}`)).join('\n') : message;
}

const asSentence = (text: string): string => {
  const trimmed = text.trim();
  // A path or the name of a setting or option keeps its case.
  const begun = /^[a-z]+[ ,]/.test(trimmed) ? trimmed[0]!.toUpperCase() + trimmed.slice(1) : trimmed;
  return /[.!?…:)]$/.test(begun) ? begun : `${begun}.`;
};
