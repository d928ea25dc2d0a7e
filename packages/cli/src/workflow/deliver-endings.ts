import { deliverNotices } from 'fullstop/notices';
import type { Store } from '../store/open-store.js';
import type { Terminal } from '../terminal/terminal.js';

/** Delivers due notices to the webhooks of the configuration; a notice that cannot be delivered stays due, and a worker tries again. */
export async function deliverEndings({ engine, loaded: { config } }: Store, terminal: Terminal): Promise<void> {
  if (config.onEnding === undefined) return;
  const delivery = deliverNotices(engine, {
    targets: config.onEnding,
    onFailure: ({ notice, error }) => terminal.error(`${notice.target} could not be notified: ${error.message}\n`),
  });
  await delivery.deliverDue();
}
