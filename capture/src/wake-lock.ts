/** Keeps the screen on until the returned function is called. Requests the lock again after the page was hidden. */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let over = false;
  const take = async () => {
    if (over || document.visibilityState !== 'visible') return;
    try {
      lock = await navigator.wakeLock?.request('screen');
      if (over) await lock?.release();
    } catch {
      // Low battery or no support: the screen may sleep, and sending resumes afterwards.
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
