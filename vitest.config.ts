import { defineConfig } from 'vitest/config';

const seconds = 1000;

/** Something that comes about soon on a quiet machine may take long on a busy one. */
const patience = { poll: { timeout: 20 * seconds } };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          // Many of them are random tests: how long each takes is for the machine to say.
          testTimeout: 30 * seconds,
          expect: patience,
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
          include: ['tests/models/**/*.test.ts'],
          testTimeout: 30 * seconds,
          expect: patience,
        },
      },
      {
        test: { name: 'lint', include: ['tests/lint/**/*.test.ts'], testTimeout: 30 * seconds },
      },
      {
        test: { name: 'examples', include: ['tests/examples/**/*.test.ts'], testTimeout: 60 * seconds },
      },
      {
        test: { name: 'conformance', include: ['tests/conformance/**/*.test.ts'], testTimeout: 600 * seconds },
      },
      {
        test: { name: 'chaos', include: ['tests/chaos/**/*.test.ts'], testTimeout: 1200 * seconds },
      },
      {
        test: { name: 'parity', include: ['tests/parity/**/*.test.ts'], testTimeout: 60 * seconds },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
      {
        test: {
          name: 'packaging',
          include: ['tests/packaging/**/*.test.ts'],
          globalSetup: ['tests/packaging/pack-and-install.ts'],
          testTimeout: 120 * seconds,
          hookTimeout: 180 * seconds,
        },
      },
    ],
  },
});
