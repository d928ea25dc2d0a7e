import { createRoot } from 'react-dom/client';
import type { ReportData } from '../../../cli/src/report/report-data.js';
import { setTransport } from '../api/client.js';
import { keepPlaceInHash, navigate, usePlace } from '../app/location.js';
import { routeOf, runAddress } from '../app/route.js';
import { SessionProvider } from '../app/session.js';
import { applyTheme } from '../app/theme.js';
import { Notice } from '../design/notice.js';
import { Instant } from '../design/time.js';
import { RunPage } from '../run/run-page.js';
import { reportTransport } from './report-transport.js';

const element = document.getElementById('report-data');
const data = JSON.parse(element?.textContent ?? '{}') as ReportData;
setTransport(reportTransport(data));
keepPlaceInHash();
applyTheme();
if (routeOf({ path: location.hash.slice(1).split('?')[0] ?? '', query: new URLSearchParams() }).page !== 'run')
  navigate(runAddress(data.runId), { replace: true });

function Report() {
  const route = routeOf(usePlace());
  const [tab, at] = route.page === 'run' ? [route.tab, route.at] : [undefined, undefined];
  return (
    <SessionProvider>
      <main id="content" tabIndex={-1}>
        <p className="report-note faint">
          A report of one run, made <Instant at={data.madeAt} />. It shows what was stored then.
        </p>
        {data.leftOut !== undefined && <Notice tone="unknown">{data.leftOut}</Notice>}
        <RunPage runId={data.runId} tab={tab} at={at} />
      </main>
    </SessionProvider>
  );
}

const container = document.getElementById('root');
if (container === null) throw new Error('The document has no element for the page.');
createRoot(container).render(<Report />);
