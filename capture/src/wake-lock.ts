/** Keeps the screen on until the returned function is called; taken again after the page was hidden. */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let over = false;
  const take = async () => {
    if (over || document.visibilityState !== 'visible') return;
    try {
      lock = await navigator.wakeLock?.request('screen');
      if (over) await lock?.release();
    } catch {
      // Low battery or no support: sending goes on, the screen may sleep, and sending is taken up after it.
    }
  };
  void take();
  document.addEventListener('visibilitychange', take);
  return () => {
    over = true;
    document.removeEventListener('visibilitychange', take);
    void lock?.release();
  };
}
