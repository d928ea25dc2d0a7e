/** Commands of Conductor that are called otherwise here, and what does the same. */
const commands: Readonly<Record<string, string>> = {
  checkpoint: 'fullstop runs lists what can be resumed; every run is stored without being asked to',
  checkpoints: 'fullstop runs lists what can be resumed; every run is stored without being asked to',
  fleet: 'fullstop runs lists runs, fullstop runs --watch keeps the list up to date, fullstop prune removes old ones',
  gate: 'fullstop answer RUN answers a gate',
  'gate-respond': 'fullstop answer RUN answers a gate',
  guide: 'fullstop resume RUN --guidance TEXT gives guidance',
  plugin: 'plugins are not available here: tools come from mcp_servers of the file',
  registry: 'registries are not available here: name the file of a workflow',
  replay: 'fullstop show RUN shows what a run did, and fullstop events RUN prints its journal',
  status: 'fullstop runs lists runs; --state running only those at work',
  stop: 'fullstop cancel RUN stops a run',
  update: 'npm install -g @fullstop/cli updates the program',
};

/** ` In place of Conductor's status: fullstop runs …`, where a word is one of its commands. */
export function conductorHint(word: string): string | undefined {
  return Object.hasOwn(commands, word) ? `In place of Conductor's ${word}: ${commands[word]}.` : undefined;
}
