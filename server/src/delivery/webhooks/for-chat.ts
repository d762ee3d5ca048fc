/** Whether an event is worth a message in the chat: a verdict in doubt or failed, or photos that could not be analysed. */
export const isForChat = ({ public_type, label }: { public_type: string; label: string | null }): boolean =>
  public_type === 'verification.failed' ||
  (public_type === 'verification.completed' && (label === 'suspicious' || label === 'failed'));
