/** The path below which the service is reached, such as `/photos`; empty where it has a host of its own. */
export const ROOT: string =
  typeof document === 'undefined'
    ? ''
    : (document.querySelector<HTMLMetaElement>('meta[name=firsthand-root]')?.content ?? '');
