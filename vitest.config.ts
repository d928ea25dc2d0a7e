import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/longest-first.js';

const seconds = 1000;

/**
 * How long anything takes is for the machine to say: these are safety nets for what would never end, far above what a busy machine with two cores needs.
 */
const patience = { poll: { timeout: 120 * seconds } };
/** Says the seed of random tests when one fails. */
const setupFiles = ['tests/random-seed.ts'];
const safetyNet = { setupFiles, testTimeout: 300 * seconds, hookTimeout: 600 * seconds, expect: patience };

export default defineConfig({
  test: {
    // All cores: many tests wait for processes of their own.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          // Loading the modules anew for each of 400 files took half of the processor time; no test may depend on a fresh process.
          isolate: false,
          ...safetyNet,
        },
      },
      {
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['packages/*/src/**/*.test-d.ts'],
            tsconfig: 'packages/fullstop/tsconfig.test.json',
          },
        },
      },
      {
        test: {
          name: 'models',
          include: ['tests/models/**/*.test.ts', 'tests/porting/**/*.test.ts'],
          ...safetyNet,
        },
      },
      {
        test: { name: 'lint', include: ['tests/lint/**/*.test.ts'], ...safetyNet },
      },
      {
        test: { name: 'examples', include: ['tests/examples/**/*.test.ts', 'examples/*.test.ts'], ...safetyNet },
      },
      {
        test: {
          name: 'conformance',
          include: ['tests/conformance/**/*.test.ts', 'tests/postgres/**/*.test.ts'],
          globalSetup: ['tests/postgres/global-setup.ts'],
          ...safetyNet,
          testTimeout: 600 * seconds,
        },
      },
      {
        test: { name: 'chaos', include: ['tests/chaos/**/*.test.ts'], ...safetyNet, testTimeout: 1200 * seconds },
      },
      {
        test: { name: 'attack', include: ['tests/attack/**/*.test.ts'], ...safetyNet, testTimeout: 1200 * seconds },
      },
      {
        test: {
          name: 'adapters',
          include: ['tests/adapters/**/*.test.ts'],
          // The heavy frameworks are for `npm run test:adapters`.
          exclude:
            process.env['FULLSTOP_ADAPTERS'] === 'all' ? [] : ['tests/adapters/{ai-5,ai-7,claude,mastra}*.test.ts'],
          globalSetup: ['tests/adapters/install.ts'],
          ...safetyNet,
        },
      },
      {
        test: { name: 'parity', include: ['tests/parity/**/*.test.ts'], ...safetyNet },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/postgres/global-setup.ts'],
          ...safetyNet,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: ['tests/browser/build-chat-page.ts'],
          ...safetyNet,
        },
      },
      {
        test: {
          name: 'walks',
          include: ['tests/walks/**/*.test.ts'],
          globalSetup: ['tests/walks/pack.ts'],
          ...safetyNet,
          testTimeout: 900 * seconds,
        },
      },
      {
        test: {
          name: 'packaging',
          include: ['tests/packaging/**/*.test.ts'],
          globalSetup: ['tests/packaging/pack-and-install.ts'],
          ...safetyNet,
        },
      },
    ],
  },
});
