import { useState } from 'react';
import { useWords } from '../language.tsx';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { useSay } from './toasts.tsx';

/** Puts a text into the clipboard, and says so: `said`, or that it was copied. */
export function useCopy(): (text: string, said?: string) => void {
  const { t } = useWords();
  const say = useSay();
  return (text, said = t('common.copied')) => void navigator.clipboard.writeText(text).then(() => say(said));
}

/** A text that is shown once, and the button that copies it. The button itself says that it did: a dialog hides what the page says. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const { t } = useWords();
  const [copied, setCopied] = useState(false);
  return (
    <>
      <p className="copyable">
        <code>{text}</code>
      </p>
      <Button onPress={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
        <Icon name={copied ? 'check' : 'copy'} />
        {copied ? t('common.copied') : label}
      </Button>
    </>
  );
}
