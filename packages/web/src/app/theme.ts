import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark' | 'system';

const key = 'fullstop.theme';
const listeners = new Set<() => void>();

/** The theme that the reader chose on this machine; `system` follows the machine. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosenTheme);
}

/** Chooses a theme and remembers it. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // A browser without storage forgets it with the page.
  }
  applyTheme(theme);
  for (const listener of listeners) listener();
}

/** Puts a theme on the page; the styles do the rest. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.setAttribute('data-theme', theme);
}

function chosenTheme(): Theme {
  const shown = document.documentElement.getAttribute('data-theme');
  if (shown === 'light' || shown === 'dark') return shown;
  try {
    const stored = localStorage.getItem(key);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}
