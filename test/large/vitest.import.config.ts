import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

const { include: _, ...test } = base.test ?? {};
export default mergeConfig(
  defineConfig({ test }),
  defineConfig({ test: { include: ['test/large/import.ts'] } }),
);
