import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';

/** A single key and what it does on the page that is open. */
export interface Shortcut {
  /** As `KeyboardEvent.key` names it. */
  key: string;
  /** The action, in the person's language. */
  label: string;
  run: () => void;
  /** Works, and is not worth a line in the list of keys. */
  unlisted?: boolean;
}

const KEEP = 'firsthand-single-keys';
const layers: { current: readonly Shortcut[] }[] = [];
const listeners = new Set<() => void>();
let version = 0;

function changed(): void {
  version += 1;
  for (const listener of listeners) listener();
}
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether single keys do anything (WCAG 2.1.4: whoever speaks to their computer can switch them off). */
const singleKeysOn = (): boolean => localStorage.getItem(KEEP) !== 'off';
export function switchSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(KEEP);
  else localStorage.setItem(KEEP, 'off');
  changed();
}
export const useSingleKeys = (): boolean => useSyncExternalStore(subscribe, singleKeysOn);

/** Somebody types there, or the part that has the focus has its own use for keys. */
const OWN_KEYS =
  'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], [role="combobox"], [role="dialog"], [role="alertdialog"]';

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!singleKeysOn() || (event.target as Element | null)?.closest?.(OWN_KEYS)) return;
  // A dialog that is open owns the keys, wherever the focus is.
  if (document.querySelector('[role="dialog"], [role="alertdialog"]')) return;
  for (const layer of layers.toReversed()) {
    const shortcut = layer.current.find(({ key }) => key === event.key);
    if (!shortcut) continue;
    event.preventDefault();
    if (!event.repeat || event.key.startsWith('Arrow')) shortcut.run();
    return;
  }
}

/** Single keys of a part of the page, as long as it is there. The part that came last is asked first. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const layer = useRef(shortcuts);
  layer.current = shortcuts;
  // Before the browser paints: a key must not reach the part that has just gone, such as the case before.
  useLayoutEffect(() => {
    if (layers.length === 0) window.addEventListener('keydown', pressed);
    layers.push(layer);
    changed();
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length === 0) window.removeEventListener('keydown', pressed);
      changed();
    };
  }, []);
}

/** The keys that work now, for the list of them and the palette. */
export function useListed(): Shortcut[] {
  useSyncExternalStore(subscribe, () => version);
  return layers.flatMap(layer => layer.current.filter(({ unlisted }) => !unlisted));
}
