import { type JsonText, parseJson } from '../json/free-form.ts';
import { Refusal } from './refusal.ts';

/** User ids in one request of an endpoint that answers for many users. */
const MOST_IDS = 500;

/** The user ids of a bulk endpoint, with its own complaints (contract 05 section 3.4). @throws Refusal */
export function readUserIds(list: JsonText): readonly string[] {
  const ids = parseJson(list);
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
    throw new Refusal('bad-input', { text: 'userIds array must contain only strings' });
  }
  if (ids.length > MOST_IDS) throw new Refusal('bad-input', { text: `You can only query up to ${MOST_IDS} users at a time.` });
  return ids;
}
