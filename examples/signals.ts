import { defineRun, handleSignals, terminations } from 'fullstop';

const watcher = defineRun({
  name: 'watcher',
  run: async (context) => {
    context.onCancel('lock', () => console.log('released the lock'));
    await context.sleep('until tomorrow', 86_400_000);
    return terminations.flowCompleted({ last: 'until tomorrow' });
  },
});

// With 'park', runs on a durable engine are left to other processes instead. A second Ctrl-C exits immediately.
const handling = handleSignals({ policy: 'cancel', graceMs: 5000 });

const result = await watcher.run(undefined, {
  // Someone stops the process while the run sleeps.
  onEntry: ({ type }) => {
    if (type === 'sleep_started') process.kill(process.pid, 'SIGTERM');
  },
});
console.log(result.termination);

const { signal, ended } = await handling.stopped;
console.log(signal, 'ended', ended.length, 'run');
handling.dispose();
