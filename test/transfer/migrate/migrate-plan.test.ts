import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planHere } from './in-process.ts';
import { freshFolder } from './reference.ts';

const FROM = 'postgres://reader@127.0.0.1:9/supertokens';
const TO = 'postgres://watchword@127.0.0.1:9/watchword';

test('files of a move to a database stand where it is run', () => {
  const here = (name: string): string => join(process.cwd(), name);
  expect(planHere({ from: FROM, to: TO }).files).toEqual({
    config: here('config.yaml'),
    losses: here('migrate-losses.ndjson'),
    left: here('migrate-left.ndjson'),
    rest: here('migrate-rest.ndjson'),
    accepted: undefined,
  });
});

test('the configuration of the old core is never written over: whoever returns to it needs it', () => {
  const folder = freshFolder();
  const [config, other] = [join(folder, 'config.yaml'), join(folder, 'ours.yaml')];
  writeFileSync(config, 'access_token_validity: 600\n');
  const moves = [{ to: folder }, { to: TO, 'config-out': config }];
  for (const move of moves)
    for (const mode of [{}, { follow: true }, { finish: true }])
      expect(() => planHere({ from: FROM, config, ...move, ...mode })).toThrow(
        `${config} is the configuration of the old core: name another file for ours with --config-out`,
      );
  expect(planHere({ from: FROM, config, to: folder, 'config-out': other }).files.config).toBe(other);
  // It writes none that stays.
  expect(planHere({ from: FROM, config, to: folder, rehearse: true }).mode).toBe('rehearse');
});
