import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { leaveSignals } from '../../command-line/signal-gate.js';
import { openInThread, type Store, withStore } from '../../store/open-store.js';

export const command = defineCommand({
  name: 'dashboard',
  summary: 'Shows runs in the browser, why they ended, and what to do next',
  operands: '',
  arity: [0, 0],
  options: {
    port: { type: 'number', value: 'N', about: 'The port; one that is free unless given' },
    open: { type: 'flag', about: 'Opens the browser' },
    'read-only': { type: 'flag', about: 'Shows everything and changes nothing' },
    host: {
      type: 'text',
      value: 'ADDRESS',
      about: 'Listens at this address instead of 127.0.0.1; whoever has the token may then act from elsewhere',
    },
    'allow-host': {
      type: 'list',
      value: 'NAME',
      about: 'A name under which browsers may ask for it, such as that of a proxy; may be given several times',
    },
    by: { type: 'text', value: 'NAME', about: 'Who answers, cancels and resumes; your user name unless given' },
  },
  notes: [
    'The address carries a token that is new with each start; whoever opens it once may use the dashboard until it is stopped.',
    'Runs that are resumed, retried or started from the page are executed by a worker of their own, which continues when the dashboard is stopped.',
  ],
  examples: ['fullstop dashboard --open', 'fullstop dashboard --read-only --port 4600'],
  run: (invocation) => {
    const work = async (store: Store): Promise<number> => {
      const { options, terminal } = invocation;
      // A server that does not answer is said here, and not by every page.
      await store.engine.list({ limit: 1 });
      const [{ showRuns }, { openBrowser }] = await Promise.all([
        import('../../dashboard/show-runs.js'),
        import('../../dashboard/open-browser.js'),
      ]);
      const dashboard = await showRuns(store, invocation, {
        by: options.by,
        readOnly: options['read-only'],
        allowedHosts: options['allow-host'],
        ...(options.host !== undefined && { address: options.host }),
        ...(options.port !== undefined && { port: options.port }),
      });
      terminal.out(`${dashboard.url}\n`);
      if (options.open) openBrowser(dashboard.url);
      terminal.error('Ctrl-C stops the dashboard; runs continue.\n');
      await stopped();
      await dashboard.close();
      return exitCodes.succeeded;
    };
    return withStore(invocation, invocation.options['read-only'] ? 'read' : 'make-usual', work, openInThread);
  },
});

/** Settles with the first signal. */
function stopped(): Promise<void> {
  leaveSignals();
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
