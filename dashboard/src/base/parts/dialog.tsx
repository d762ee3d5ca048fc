import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useWords } from '../language.tsx';
import { Button } from './button.tsx';
import { Problem } from './states.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  role?: 'dialog' | 'alertdialog';
  /** As wide as the window. */
  wide?: boolean;
  children: ReactNode;
}

/** Something to settle before the page goes on. Escape and a press outside close it. */
export const Dialog = ({ title, onClose, role = 'dialog', wide = false, children }: DialogProps) => (
  <ModalOverlay isOpen isDismissable={role === 'dialog'} onOpenChange={open => !open && onClose()} className="overlay">
    <Modal className={wide ? 'modal wide-modal' : 'modal'}>
      <AriaDialog role={role} className="dialog stack">
        <Heading slot="title">{title}</Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

interface ConfirmProps {
  title: string;
  children: ReactNode;
  action: string;
  mutation: { mutate: () => void; isPending: boolean; error: unknown };
  onClose: () => void;
}

/** Asks once more before something that cannot be undone. It stays open, with the reason, where that fails. */
export function Confirm({ title, children, action, mutation, onClose }: ConfirmProps) {
  const { t } = useWords();
  return (
    <Dialog title={title} role="alertdialog" onClose={onClose}>
      <div className="stack">{children}</div>
      <Problem error={mutation.error} />
      <div className="actions">
        <Button onPress={onClose}>{t('common.cancel')}</Button>
        <Button weight="grave" busy={mutation.isPending} onPress={() => mutation.mutate()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
