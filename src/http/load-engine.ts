import type { Engine, EngineName } from './engine.ts';

/**
 * Loads the engine that `http_engine` names. With `auto`, node:http stands in where the native binary does not load,
 * and `warn` gets one line. The main thread must have run `prepareHeaderLimit` before.
 */
export async function loadEngine(option: 'auto' | EngineName, warn: (line: string) => void): Promise<Engine> {
  if (option !== 'node') {
    const { loadUws } = await import('./engine-uws.ts');
    try {
      return loadUws();
    } catch (error) {
      // The whole message in one line: first what the library supports in general, and only then the system's error.
      const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' ');
      if (option === 'uws') throw new Error(`http_engine is "uws", but uWebSockets.js does not load here: ${reason}`, { cause: error });
      warn(`uWebSockets.js does not load here, so node:http serves, slower: ${reason}`);
    }
  }
  const { nodeEngine } = await import('./engine-node.ts');
  return nodeEngine;
}
