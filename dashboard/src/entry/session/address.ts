/** The mode that an address names; undefined for one from before addresses named it. */
export function modeOf(search: string): boolean | undefined {
  const mode = new URLSearchParams(search).get('mode');
  return mode === 'live' ? true : mode === 'test' ? false : undefined;
}

/** Writes the mode into the address, so that whoever gets the link sees the same data. */
export function showInAddress(livemode: boolean): void {
  const { pathname, search, hash } = location;
  const query = new URLSearchParams(search);
  query.set('mode', livemode ? 'live' : 'test');
  history.replaceState(history.state, '', `${pathname}?${query.toString().replaceAll('%2C', ',')}${hash}`);
}
