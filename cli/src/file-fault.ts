/** Node.js error codes of files and folders, each in words that follow the path. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: part of its path is a file',
  EISDIR: 'is a folder. Name a file',
  EACCES: 'cannot be opened: this account lacks the permission',
  EPERM: 'cannot be changed: this account lacks the permission',
  EROFS: 'cannot be written: the file system is read-only',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the quota of this account is used up',
  EEXIST: 'exists already',
  ENOTEMPTY: 'is not empty',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'is a link that leads in a circle',
  EMFILE: 'cannot be opened: too many files are open',
  EIO: 'cannot be read: the disk reports a fault',
};

/** For `catch`: names the file in an error that does not, as one of `read` does not. */
export const namingFile = (path: string) => (error: NodeJS.ErrnoException) => {
  throw Object.assign(error, { path: error.path ?? path });
};

/** Says in a sentence why a file or folder could not be used; null for any other error. */
export function fileFault(error: unknown): string | null {
  const { code, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const words = code === undefined ? undefined : WORDS[code];
  const named = dest ?? path;
  if (words === undefined) return null;
  return named === undefined ? null : `${named} ${words}.`;
}
