import { type ReactNode, useState } from 'react';
import { Button, type Weight } from '../../base/parts/button.tsx';
import { Confirm } from '../../base/parts/dialog.tsx';
import { type ActionOptions, useAction } from './recent.ts';

interface AskProps<Out> extends ActionOptions<Out> {
  /** The button. */
  label: string;
  /** The button's full name, where several stand on a page. */
  named?: string;
  icon?: ReactNode;
  weight?: Weight;
  slim?: boolean;
  title: string;
  /** What the action means. */
  text: string;
  /** The button of the dialog, where it says more. */
  sure?: string;
  run: () => Promise<Out>;
  /** Stands below the text. */
  children?: ReactNode;
}

/** A button for something that cannot be undone: asks once more, then does it. */
export function Ask<Out>(props: AskProps<Out>) {
  const { label, named, icon, weight = 'plain', slim = false, title, text, sure = label, run, children } = props;
  const [asking, setAsking] = useState(false);
  const action = useAction(run, {
    ...props,
    onDone: out => {
      setAsking(false);
      props.onDone?.(out);
    },
  });
  return (
    <>
      <Button weight={weight} slim={slim} aria-label={named} onPress={() => setAsking(true)}>
        {icon}
        {label}
      </Button>
      {asking && (
        <Confirm title={title} action={sure} mutation={action} onClose={() => setAsking(false)}>
          <p>{text}</p>
          {children}
        </Confirm>
      )}
    </>
  );
}
