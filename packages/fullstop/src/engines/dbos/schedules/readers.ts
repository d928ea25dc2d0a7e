import { optional, type Reader, record } from '../../door/reader.js';
import { anyText, having, name, oneOf } from '../../door/readers.js';
import type { Schedulable, ScheduleOptions } from './options.js';

const runnable = having<Schedulable<unknown>>('a definition with name and run, such as one of defineRun', 'run');

export const schedulable: Reader<Schedulable<unknown>> = {
  expected: runnable.expected,
  read(value, path) {
    const given = runnable.read(value, path);
    return { name: name.read(given.name, `${path}.name`), run: (input, options) => given.run(input, options) };
  },
};

/** The input is for the definition to read. */
const anything: Reader<unknown> = { expected: 'an input of the definition', read: (value) => value };

export const scheduleOptions: Reader<ScheduleOptions<unknown>> = record<ScheduleOptions<unknown>>({
  cron: anyText,
  input: anything,
  name: optional(name),
  timezone: optional(name),
  missed: optional(oneOf('skip', 'run')),
});
