import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/mock/setup.ts"],
    restoreMocks: true,
    // One page for all files: `setup.ts` leaves nothing of a test behind.
    isolate: false,
    testTimeout: 30_000,
  },
});
