/** Notifies the caller that its run is there. A callback's fault must not keep it from being executed. */
export function notifyStart(onStart: (() => void) | undefined): void {
  try {
    onStart?.();
  } catch {
    // The caller's own.
  }
}
