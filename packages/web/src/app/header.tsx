import type { ReactNode } from 'react';
import { Icon } from '../design/icon.js';
import { Connection } from './connection.js';
import { Link } from './link.js';
import type { Route } from './route.js';
import { useSession } from './session.js';
import { chooseTheme, type Theme, useTheme } from './theme.js';

const pages = [
  { to: '/', name: 'Runs', page: 'runs' },
  { to: '/endings', name: 'Endings', page: 'endings' },
  { to: '/start', name: 'Start', page: 'start' },
] as const;

/** The bar above every page. */
export function Header({ page }: { readonly page: Route['page'] }): ReactNode {
  const { store, readOnly } = useSession();
  const current = page === 'run' ? 'runs' : page;
  return (
    <header className="header">
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <Link to="/" className="brand" aria-label="Fullstop, all runs">
        fullstop
        <span className="brand-dot" aria-hidden="true" />
      </Link>
      <nav className="nav" aria-label="Pages">
        {pages
          .filter((each) => !(readOnly && each.page === 'start'))
          .map((each) => (
            <Link key={each.page} to={each.to} aria-current={each.page === current ? 'page' : undefined}>
              {each.name}
            </Link>
          ))}
      </nav>
      <span className="store mono" title={store}>
        {store}
      </span>
      {readOnly && <span className="tag">read only</span>}
      <Connection />
      <ThemeButton />
    </header>
  );
}

const following: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

function ThemeButton(): ReactNode {
  const theme = useTheme();
  const label = `Theme: ${theme}. Change to ${following[theme]}.`;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      onClick={() => chooseTheme(following[theme])}
    >
      <Icon name="theme" />
    </button>
  );
}
