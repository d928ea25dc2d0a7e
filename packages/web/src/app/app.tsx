import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { ActionHost } from '../actions/action-host.js';
import { EndingsPage } from '../runs/endings-page.js';
import { RunsPage } from '../runs/runs-page.js';
import { StartPage } from '../start/start-page.js';
import { ConnectionNotice } from './connection.js';
import { Header } from './header.js';
import { Link } from './link.js';
import { LiveProvider } from './live.js';
import { usePlace } from './location.js';
import { type Route, routeOf } from './route.js';
import { SessionProvider } from './session.js';

/** Graphs are heavy, and the list needs none. */
const RunPage = lazy(() => import('../run/run-page.js').then((loaded) => ({ default: loaded.RunPage })));

/** All pages. */
export function App(): ReactNode {
  return (
    <SessionProvider>
      <LiveProvider>
        <ActionHost>
          <Pages />
        </ActionHost>
      </LiveProvider>
    </SessionProvider>
  );
}

function Pages(): ReactNode {
  const place = usePlace();
  const route = routeOf(place);
  const title = titleOf(route);
  useEffect(() => {
    document.title = `${title} · Fullstop`;
  }, [title]);
  return (
    <>
      <Header page={route.page} />
      <main id="content" tabIndex={-1}>
        <ConnectionNotice />
        <PageOf route={route} />
      </main>
    </>
  );
}

function PageOf({ route }: { readonly route: Route }): ReactNode {
  switch (route.page) {
    case 'runs':
      return <RunsPage />;
    case 'run':
      return (
        <Suspense fallback={<p className="lonely soft">Reading the run…</p>}>
          <RunPage runId={route.runId} tab={route.tab} at={route.at} />
        </Suspense>
      );
    case 'endings':
      return <EndingsPage />;
    case 'start':
      return <StartPage file={route.file} />;
    case 'unknown':
      return <UnknownPage path={route.path} />;
    default:
      return route satisfies never;
  }
}

function titleOf(route: Route): string {
  switch (route.page) {
    case 'runs':
      return 'Runs';
    case 'endings':
      return 'Endings';
    case 'start':
      return 'Start';
    case 'run':
      return route.runId;
    case 'unknown':
      return 'Not found';
    default:
      return route satisfies never;
  }
}

function UnknownPage({ path }: { readonly path: string }): ReactNode {
  return (
    <div className="lonely">
      <h1>There is no such page</h1>
      <p className="soft">
        <code>{path}</code> leads nowhere. <Link to="/">All runs</Link>
      </p>
    </div>
  );
}
