import type { Commands } from '../../generated/commands.ts';
import { EMPTY_OBJECT, type JsonText } from '../../json/free-form.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { metadata } from './records.ts';

/** `GET /recipe/user/metadata` (contract 05 section 3.1); the empty object where nothing is kept. */
export function getMetadata({ store, tenant }: Context, command: Commands['user-metadata/get-metadata']): MaybePromise<JsonText> {
  return store.read((reader) =>
    whenReady(reader.get(metadata, [tenant.app, command.userId]), (record) => record?.metadata ?? EMPTY_OBJECT),
  );
}
