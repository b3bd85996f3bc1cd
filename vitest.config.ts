import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'models/**/*.test.ts', 'bench/**/*.test.ts'],
    globalSetup: './test/support/build.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The machine this is written for has two cores; engine tests spin ggml threads of their own.
    maxWorkers: 2,
    reporters: process.env.CI ? ['default'] : ['dot'],
  },
});
