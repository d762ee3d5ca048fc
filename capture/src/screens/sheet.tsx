import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

type Props = {
  title: string;
  /** Screen readers read the title again when it changes. */
  live?: boolean;
  /** Escape and Back close the panel; without it the question wants an answer. */
  onClose?: () => void;
  children: ComponentChildren;
};

/** A panel over the viewfinder with one question. It is a native modal dialog, which keeps the focus inside. */
export function Sheet({ title, live, onClose, children }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="sheet stack"
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={id} tabIndex={-1} aria-live={live ? 'polite' : undefined}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
